#include "systolic/datasets/directory/timeseries.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/base/global_seed.h"
#include "systolic/datasets/directory/directory_files.h"

namespace systolic::inline v0 {
namespace {

// Every `step`-th row of an array, `count` of them.
Literal rows_by_step(const Literal& array, int64_t first, int64_t count, int64_t step) {
  if (step == 1) return array.rows(first, first + count);
  std::vector<int64_t> sizes{count};
  for (int axis = 1; axis < array.rank(); ++axis) sizes.push_back(array.shape()[axis]);
  Literal result(array.dtype(), Shape(sizes));
  const size_t row = array.byte_size() / static_cast<size_t>(array.shape()[0]);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(result.mutable_raw() + static_cast<size_t>(i) * row,
                array.raw() + static_cast<size_t>(first + i * step) * row, row);
  }
  return result;
}

// The rows at which windows start, counted from start_index.
std::vector<int64_t> starts_of(int64_t rows, const std::optional<Literal>& targets,
                               int64_t sequence_length, const TimeseriesOptions& options,
                               uint32_t seed) {
  int64_t windows = rows - (sequence_length - 1) * options.sampling_rate;
  if (targets) windows = std::min(windows, targets->shape()[0] - options.start_index.value_or(0));
  std::vector<int64_t> starts;
  for (int64_t start = 0; start < windows; start += options.sequence_stride)
    starts.push_back(start);
  if (!options.shuffle) return starts;
  std::vector<int64_t> shuffled;
  for (const size_t i : datasets::shuffled_as_numpy(starts.size(), seed))
    shuffled.push_back(starts[i]);
  return shuffled;
}

void check_series(const Literal& data, const std::optional<Literal>& targets,
                  int64_t sequence_length, const TimeseriesOptions& options,
                  SourceLocation location) {
  const auto refuse = [&](std::string what, std::string wanted) {
    raise<InvalidArgument>(
        {.what = std::move(what), .wanted = std::move(wanted), .location = location});
  };
  if (data.rank() == 0 || data.dtype() == DType::string || (targets && targets->rank() == 0))
    refuse(str("data ", to_string(data.dtype()), data.shape()), "numbers [rows, ...]");
  const int64_t rows = data.shape()[0];
  for (const auto& [name, value] : {std::pair("sampling_rate", options.sampling_rate),
                                    std::pair("sequence_stride", options.sequence_stride)}) {
    if (value < 1 || value >= rows)
      refuse(str(name, " is ", value), str("from 1 to below the ", rows, " rows"));
  }
  if (sequence_length < 1) refuse(str("sequence_length is ", sequence_length), "1 or more");
  const int64_t begin = options.start_index.value_or(0), end = options.end_index.value_or(rows);
  if (begin < 0 || end > rows || begin >= end)
    refuse(str("rows from ", begin, " to ", end), str("some within the ", rows, " rows"));
  if ((sequence_length - 1) > (end - begin - 1) / options.sampling_rate)
    refuse(str("windows of ", sequence_length, " rows from ", end - begin, " rows"),
           "windows that fit");
}

}  // namespace

data::Dataset timeseries_dataset_from_array(const Literal& data,
                                            const std::optional<Literal>& targets,
                                            int64_t sequence_length,
                                            const TimeseriesOptions& options,
                                            SourceLocation location) {
  check_series(data, targets, sequence_length, options, location);
  const int64_t begin = options.start_index.value_or(0);
  const int64_t end = options.end_index.value_or(data.shape()[0]);
  const auto seed = options.seed.value_or(static_cast<uint32_t>(draw_seed()));
  const std::vector<int64_t> starts =
      starts_of(end - begin, targets, sequence_length, options, seed);
  const int64_t rate = options.sampling_rate;
  const auto window_at = [=, used = data.rows(begin, end)](int64_t start) {
    Example window{{"x", rows_by_step(used, start, sequence_length, rate)}};
    // Targets are counted from start_index, too.
    if (targets) window.set("y", targets->row(begin + start));
    return window;
  };
  data::Dataset windows = data::from_tensor_slices(Example{{"start", starts}})
                              .map(window_at, {.num_parallel_calls = data::autotune});
  if (options.shuffle) {
    const int64_t buffer = options.batch_size ? *options.batch_size * 8 : 1024;
    windows = windows.shuffle(buffer, {.seed = uint64_t{seed}});
  }
  return options.batch_size ? windows.batch(*options.batch_size) : windows;
}

std::pair<data::Dataset, data::Dataset> split_dataset(const data::Dataset& dataset,
                                                      const SplitDatasetOptions& options,
                                                      SourceLocation location) {
  const int64_t count = dataset.cardinality();
  const auto refuse = [&](std::string what, std::string wanted) {
    raise<InvalidArgument>(
        {.what = std::move(what), .wanted = std::move(wanted), .location = location});
  };
  if (count < 0) refuse("split_dataset of a dataset of unknown length", "a known cardinality");
  if (!options.left_size && !options.right_size)
    refuse("split_dataset without left_size and right_size", "at least one of them");
  const auto elements = [&](std::optional<double> size) {
    if (!size) return int64_t{0};
    return static_cast<int64_t>(*size < 1 ? std::nearbyint(*size * static_cast<double>(count))
                                          : *size);
  };
  int64_t left = elements(options.left_size), right = elements(options.right_size);
  if (!options.left_size) left = count - right;
  if (!options.right_size) right = count - left;
  if (left < 1 || right < 1 || left + right > count)
    refuse(str("parts of ", left, " and ", right, " elements of ", count),
           "two that are not empty, and together not more");
  data::Dataset whole = dataset;
  if (options.shuffle) {
    const uint64_t seed = options.seed.value_or(draw_seed());
    whole = whole.shuffle(count, {.seed = seed, .reshuffle_each_iteration = false});
  }
  return {whole.take(left), whole.skip(count - right)};
}

}  // namespace systolic::inline v0
