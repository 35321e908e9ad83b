#include "systolic/preprocessing/encode.h"

#include <numeric>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t most_numbers = int64_t{1} << 31;

Literal zeros_of_rows(int64_t rows, int64_t depth) {
  if (rows > 0 && depth > most_numbers / rows) {
    raise<ResourceExhausted>({.what = str(rows, " rows of ", depth, " numbers each"),
                              .hint = "use output_mode \"int\" and an Embedding"});
  }
  return Literal::zeros(DType::f32, {rows, depth});
}

Literal one_hot_rows(const Literal& places, int64_t depth) {
  Shape shape = places.shape();
  if (shape.rank() > 1 && shape[-1] == 1) shape = shape.slice(0, shape.rank() - 1);
  Literal result = zeros_of_rows(places.size(), depth);
  const std::span<const int64_t> from = places.data<int64_t>();
  const std::span<float> to = result.mutable_data<float>();
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] >= 0 && from[i] < depth) to[i * static_cast<size_t>(depth) + from[i]] = 1;
  }
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  sizes.push_back(depth);
  return result.reshape(Shape(sizes));
}

}  // namespace

Literal encode_rows(const PlaceRows& rows, std::string_view mode, int64_t depth,
                    std::span<const double> weights) {
  const size_t count = rows.row_splits.size() - 1;
  Literal result = zeros_of_rows(static_cast<int64_t>(count), depth);
  const std::span<float> numbers = result.mutable_data<float>();
  for (size_t row = 0; row < count; ++row) {
    const std::span<float> to =
        numbers.subspan(row * static_cast<size_t>(depth), static_cast<size_t>(depth));
    for (int64_t i = rows.row_splits[row]; i < rows.row_splits[row + 1]; ++i) {
      const int64_t place = rows.places[static_cast<size_t>(i)];
      if (place < 0 || place >= depth) continue;
      float& one = to[static_cast<size_t>(place)];
      one = mode == "multi_hot" ? 1 : one + 1;
    }
    if (mode != "tf_idf") continue;
    for (size_t i = 0; i < to.size(); ++i)
      to[i] *= i < weights.size() ? static_cast<float>(weights[i]) : 0;
  }
  return result;
}

Literal encode_places(const Literal& places, std::string_view mode, int64_t depth,
                      std::span<const double> weights) {
  if (mode == "int") return places;
  if (mode == "one_hot") return one_hot_rows(places, depth);
  const Shape& shape = places.shape();
  const int64_t length = places.rank() == 0 ? 1 : shape[-1];
  int64_t rows = 1;
  std::vector<int64_t> sizes;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    rows *= shape[axis];
    sizes.push_back(shape[axis]);
  }
  sizes.push_back(depth);
  std::vector<int64_t> splits(static_cast<size_t>(rows) + 1);
  for (size_t i = 0; i < splits.size(); ++i) splits[i] = static_cast<int64_t>(i) * length;
  return encode_rows({places.data<int64_t>(), splits}, mode, depth, weights).reshape(Shape(sizes));
}

}  // namespace systolic::inline v0
