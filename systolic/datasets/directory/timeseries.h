// Windows of a series of numbers, and datasets in two parts (keras.utils).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/data/dataset.h"

namespace systolic::inline v0 {

struct TimeseriesOptions {
  int64_t sequence_stride = 1;              // from the start of a window to that of the next
  int64_t sampling_rate = 1;                // from a row of a window to its next
  std::optional<int64_t> batch_size = 128;  // without one, elements are single windows
  bool shuffle = false;                     // of the windows
  std::optional<uint32_t> seed = {};        // of the shuffle
  std::optional<int64_t> start_index = {}, end_index = {};  // the rows that are used
};
// Windows of `sequence_length` rows of `data` [rows, ...]: elements {"x": [batch, sequence_length,
// ...]}, and with targets, of which row i belongs to the window that starts at row i, "y".
//   timeseries_dataset_from_array(prices, next_prices, 30, {.batch_size = 64})
data::Dataset timeseries_dataset_from_array(const Literal& data,
                                            const std::optional<Literal>& targets,
                                            int64_t sequence_length,
                                            const TimeseriesOptions& options = {},
                                            SourceLocation location = SourceLocation::current());

struct SplitDatasetOptions {
  std::optional<double> left_size = {}, right_size = {};  // below 1: a share; else elements
  bool shuffle = false;  // before it is split; the same elements are left in each epoch
  std::optional<uint64_t> seed = {};  // of the shuffle
};
// The first and the last part of a dataset whose cardinality is known (keras.utils.split_dataset).
// InvalidArgument for sizes that do not fit, or that leave a part empty.
std::pair<data::Dataset, data::Dataset> split_dataset(
    const data::Dataset& dataset, const SplitDatasetOptions& options = {},
    SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
