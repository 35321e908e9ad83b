#include "systolic/nn/layers/preprocessing/pictures/histograms.h"

#include <array>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr int32_t levels = 256;

// How often each number below `count` is among the places.
Tensor counts_of(const Tensor& places, int64_t count, const Tensor& each) {
  const Shape flat{places.size()};
  return scatter_add(zeros({count}), reshape(places, flat),
                     reshape(broadcast_to(each, places.shape()), flat));
}

// i32 [1, 1, 1, channels] and its like, from 0 on.
Tensor along(int axis, int64_t size) {
  std::array<int64_t, 4> sizes = {1, 1, 1, 1};
  sizes[static_cast<size_t>(axis)] = size;
  return reshape(range(size), Shape(std::vector<int64_t>(sizes.begin(), sizes.end())));
}

// As many rows and columns as the tiles have: what is missing is reflected.
Tensor filled_up(const Tensor& x, int axis, int64_t size) {
  const int64_t given = x.shape()[axis];
  if (given == size) return x;
  const Tensor place = range(size) % static_cast<int32_t>(2 * given);
  return gather(x, minimum(place, static_cast<int32_t>(2 * given - 1) - place), axis);
}

// Around a pixel along one axis: the tiles before and after, and how near it is to the later one.
struct Neighbors {
  Tensor before, after, share;
};
Neighbors neighbors_of(int axis, int64_t size, int64_t tile, int64_t tiles) {
  const auto width = static_cast<double>(tile);
  const Tensor place = (cast(along(axis, size), DType::f32) - width / 2) / width;
  const Tensor before = floor(place);
  const auto within = [&](const Tensor& which) {
    return cast(clip(which, 0.0, static_cast<double>(tiles - 1)), DType::i32);
  };
  return {within(before), within(before + 1.0), place - before};
}

// What each level becomes in each tile: [batch * rows * columns * channels, 256].
Tensor level_table(const Tensor& counts, double pixels, double clip_limit) {
  Tensor each = counts;
  if (clip_limit > 0) {
    const Tensor clipped = minimum(each, clip_limit * pixels / levels);
    each = clipped + sum(each - clipped, {.axis = 1, .keepdims = true}) / levels;
  }
  const Tensor so_far = cumsum(each, 1);
  const Tensor least = min(so_far, {.axis = 1, .keepdims = true});
  const Tensor rest = pixels - least;
  return clip((so_far - least) * 255.0 / where(rest == 0.0, 1.0, rest), 0.0, 255.0);
}

}  // namespace

Tensor equalized(const Tensor& x, int64_t bins, const std::optional<Tensor>& sample_mask) {
  const int64_t channels = x.shape()[3];
  const auto last = static_cast<double>(bins - 1);
  const Tensor first_bin = along(3, channels) * static_cast<int32_t>(bins);
  const auto bins_of = [&](const Tensor& scaled) {
    return cast(clip(scaled, 0.0, last), DType::i32) + first_bin;
  };
  const Tensor each =
      sample_mask ? reshape(cast(*sample_mask, DType::f32), {-1, 1, 1, 1}) : fill({1, 1, 1, 1}, 1);
  const Tensor counts =
      reshape(counts_of(bins_of(x * last / 255.0), bins * channels, each), {channels, bins});
  const Tensor so_far = cumsum(counts, 1);
  const Tensor total = max(so_far, {.axis = 1, .keepdims = true});
  const Tensor first = min(where(so_far > 0.0, so_far, total), {.axis = 1, .keepdims = true});
  const Tensor rest = total - first;  // 0 for a channel of one level
  const Tensor table =
      clip(round((so_far - first) * 255.0 / where(rest == 0.0, 1.0, rest)), 0.0, 255.0);
  const Tensor spread = gather(reshape(table, {channels * bins}), bins_of(x / 255.0 * last));
  return where(reshape(rest, {1, 1, 1, channels}) == 0.0, x, spread);
}

Tensor equalized_by_tiles(const Tensor& x, const TileRules& rules) {
  const Shape& shape = x.shape();
  const int64_t batch = shape[0], channels = shape[3];
  const int64_t tile_height = (shape[1] + rules.rows - 1) / rules.rows;
  const int64_t tile_width = (shape[2] + rules.columns - 1) / rules.columns;
  const int64_t height = tile_height * rules.rows, width = tile_width * rules.columns;
  const Tensor pixels =
      cast(clip(filled_up(filled_up(x, 1, height), 2, width), 0.0, 255.0), DType::i32);
  // The place in the table of a level of a channel in a tile.
  const auto place_of = [&](const Tensor& row, const Tensor& column) {
    const auto times = [](const Tensor& a, int64_t count) {
      return a * static_cast<int32_t>(count);
    };
    const Tensor tile = times(times(along(0, batch), rules.rows) + row, rules.columns) + column;
    return times(times(tile, channels) + along(3, channels), levels) + pixels;
  };
  const Tensor own = place_of(along(1, height) / static_cast<int32_t>(tile_height),
                              along(2, width) / static_cast<int32_t>(tile_width));
  const int64_t tables = batch * rules.rows * rules.columns * channels;
  const Tensor counts = counts_of(own, tables * levels, fill({1, 1, 1, 1}, 1));
  const Tensor table =
      reshape(level_table(reshape(counts, {tables, levels}),
                          static_cast<double>(tile_height * tile_width), rules.clip_limit),
              {tables * levels});
  const Neighbors rows = neighbors_of(1, height, tile_height, rules.rows);
  const Neighbors columns = neighbors_of(2, width, tile_width, rules.columns);
  const auto between = [&](const Tensor& row) {
    return gather(table, place_of(row, columns.before)) * (1.0 - columns.share) +
           gather(table, place_of(row, columns.after)) * columns.share;
  };
  const Tensor result =
      between(rows.before) * (1.0 - rows.share) + between(rows.after) * rows.share;
  return slice(result, {0, 0, 0, 0}, shape);
}

}  // namespace systolic::inline v0
