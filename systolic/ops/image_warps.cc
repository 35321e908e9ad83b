// Pictures whose pixels are taken from elsewhere.
#include <cmath>

#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_batch.h"
#include "systolic/ops/linear.h"
#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace ops {
namespace image {
namespace {

// An axis of the array, and where along it each result lies: f32 of the results' shape.
struct Place {
  int64_t size;
  Tensor at;
};

struct Rules {
  bool linear;
  Edge edge;
  double fill_value;
};

Tensor modulo(const Tensor& x, int64_t divisor) {
  const auto by = static_cast<int32_t>(divisor);
  return (x % by + by) % by;
}

Tensor mirrored(const Tensor& index, int64_t size) {
  if (size == 1) return zeros_like(index);
  const auto last = static_cast<int32_t>(size - 1);
  return abs(modulo(index + last, 2 * (size - 1)) - last);
}

// An index that lies within the axis.
Tensor folded(const Tensor& index, int64_t size, const Edge& edge) {
  if (edge.is("wrap")) return modulo(index, size);
  if (edge.is("mirror")) return mirrored(index, size);
  if (edge.is("reflect")) return (mirrored(index * 2 + 1, 2 * size + 1) - 1) / 2;
  return minimum(maximum(index, 0), static_cast<int32_t>(size - 1));
}

// Half away from 0.
Tensor nearest_whole(const Tensor& x) { return sign(x) * floor(abs(x) + 0.5); }

// One of the elements that lie around, and its share: none where it is the only one.
struct Neighbour {
  Tensor index;
  std::optional<Tensor> share;
};

std::vector<Neighbour> neighbours_of(const Tensor& at, bool linear) {
  if (!linear) return {{cast(nearest_whole(at), DType::i32), {}}};
  const Tensor lower = floor(at), upper_share = at - lower;
  const Tensor index = cast(lower, DType::i32);
  return {{index, 1.0 - upper_share}, {index + 1, upper_share}};
}

// table [rows, ...]: row `first` + its place along the axes, for each place the shares' sum.
class Sampler {
 public:
  Sampler(const Tensor& table, std::vector<Place> places, const Rules& rules)
      : table_(table), places_(std::move(places)), rules_(rules) {}

  Tensor sum_from(const Tensor& first) { return sum_over(0, {first, {}, {}}); }

 private:
  // A row of the table as far as the axes before are done: what it counts, and whether it is one.
  struct Path {
    Tensor row;
    std::vector<Tensor> shares, inside;
  };

  Tensor sum_over(size_t axis, const Path& path) {
    if (axis == places_.size()) return element(path);
    const Place& place = places_[axis];
    std::vector<Tensor> parts;
    for (const Neighbour& one : neighbours_of(place.at, rules_.linear)) {
      Path next = path;
      next.row =
          path.row * static_cast<int32_t>(place.size) + folded(one.index, place.size, rules_.edge);
      if (one.share) next.shares.push_back(*one.share);
      if (rules_.edge.is("constant"))
        next.inside.push_back((one.index >= 0) & (one.index < static_cast<int32_t>(place.size)));
      parts.push_back(sum_over(axis + 1, next));
    }
    return parts.size() == 1 ? parts[0] : parts[0] + parts[1];
  }
  // x of the places' shape, with the axes of a row after them.
  Tensor as_rows(const Tensor& x) const {
    Shape sizes = x.shape();
    for (int axis = 1; axis < table_.rank(); ++axis) sizes = sizes.with_inserted(sizes.rank(), 1);
    return reshape(x, sizes);
  }
  Tensor element(const Path& path) const {
    Tensor value = gather(table_, path.row, 0);
    for (const Tensor& inside : path.inside)
      value = where(as_rows(inside), value, rules_.fill_value);
    for (const Tensor& share : path.shares) value = value * as_rows(share);
    return value;
  }

  const Tensor table_;
  const std::vector<Place> places_;
  const Rules rules_;
};

Tensor as_type(const Tensor& x, DType dtype) {
  return cast(is_float(dtype) ? x : nearest_whole(x), dtype);
}

// The pictures' pixels at (x, y), both f32 [batch, rows, columns].
Tensor pixels_at(const ImageBatch& images, const Tensor& x, const Tensor& y, const Rules& rules) {
  const Tensor table =
      reshape(cast(images.batch(), DType::f32),
              {images.size() * images.height() * images.width(), images.channels()});
  Sampler sampler(table, {{images.height(), y}, {images.width(), x}}, rules);
  return as_type(sampler.sum_from(iota(x.shape(), 0)), images.batch().dtype());
}

struct PixelGrid {
  Tensor x, y;  // f32 [batch, height, width]
};
PixelGrid grid_of(const ImageBatch& images) {
  const Shape sizes{images.size(), images.height(), images.width()};
  return {iota(sizes, 2, DType::f32), iota(sizes, 1, DType::f32)};
}

void check_parameters(const char* op, const Tensor& x, const ImageBatch& images, const Shape& one,
                      At at) {
  const bool for_all = x.shape() == one;
  if (for_all || x.shape() == one.with_inserted(0, images.size()) ||
      x.shape() == one.with_inserted(0, 1))
    return;
  raise<InvalidArgument>({.what = str(op, " with parameters of shape ", x.shape()),
                          .wanted = str(one, ", or so for each of ", images.size(), " pictures"),
                          .location = at});
}

// Column i of x [..., numbers], as [batch or 1, 1, 1].
Tensor number_of(const Tensor& x, int64_t i) {
  const int64_t numbers = x.shape()[-1], rows = x.size() / numbers;
  return reshape(slice(reshape(x, {rows, numbers}), {0, i}, {rows, 1}), {rows, 1, 1});
}

// The eight numbers of the matrix that takes each end point to its start point: f32 [rows, 8].
Tensor homography(const Tensor& start_points, const Tensor& end_points) {
  const int64_t rows = start_points.size() / 8;
  const auto coordinate = [&](const Tensor& points, int64_t which) {
    return slice(reshape(cast(points, DType::f32), {rows, 4, 2}), {0, 0, which}, {rows, 4, 1});
  };
  const Tensor from_x = coordinate(start_points, 0), from_y = coordinate(start_points, 1);
  const Tensor x = coordinate(end_points, 0), y = coordinate(end_points, 1);
  const Tensor one = ones_like(x), zero = zeros_like(x);
  const Tensor of_x = concat({x, y, one, zero, zero, zero, -from_x * x, -from_x * y}, 2),
               of_y = concat({zero, zero, zero, x, y, one, -from_y * x, -from_y * y}, 2);
  const Tensor solved = ops::solve(concat({of_x, of_y}, 1), concat({from_x, from_y}, 1));
  return reshape(solved, {rows, 8});
}

}  // namespace

Tensor map_coordinates(const Tensor& x, const Tensor& coordinates, MapCoordinatesOptions options,
                       At at) {
  if (coordinates.rank() < 2 || coordinates.shape()[0] != x.rank()) {
    raise<InvalidArgument>({.what = str("map_coordinates of ", x.shape(),
                                        " at coordinates of shape ", coordinates.shape()),
                            .wanted = str("[", x.rank(), ", ...]"),
                            .location = at});
  }
  if (options.order != 0 && options.order != 1) {
    raise<InvalidArgument>({.what = str("map_coordinates with order ", options.order.get()),
                            .wanted = "0 or 1",
                            .location = at});
  }
  std::vector<Place> places;
  for (int axis = 0; axis < x.rank(); ++axis)
    places.push_back({x.shape()[axis], cast(coordinates[{axis}], DType::f32)});
  const Tensor first = zeros(places.front().at.shape(), DType::i32);
  Sampler sampler(reshape(cast(x, DType::f32), {x.size()}), std::move(places),
                  {options.order == 1, options.fill_mode, options.fill_value});
  return as_type(sampler.sum_from(first), x.dtype());
}

Tensor affine_transform(const Tensor& images, const Tensor& transform, TransformOptions options,
                        At at) {
  const ImageBatch batch("affine_transform", images, at);
  check_parameters("affine_transform", transform, batch, {8}, at);
  const PixelGrid grid = grid_of(batch);
  const Tensor numbers = cast(transform, DType::f32);
  const auto row = [&](int64_t i) {
    return number_of(numbers, i) * grid.x + number_of(numbers, i + 1) * grid.y +
           number_of(numbers, i + 2);
  };
  return batch.as_given(
      pixels_at(batch, row(0), row(3),
                {options.interpolation.is("bilinear"), options.fill_mode, options.fill_value}));
}

Tensor perspective_transform(const Tensor& images, const Tensor& start_points,
                             const Tensor& end_points, PerspectiveOptions options, At at) {
  const ImageBatch batch("perspective_transform", images, at);
  for (const Tensor& points : {start_points, end_points})
    check_parameters("perspective_transform", points, batch, {4, 2}, at);
  if (start_points.shape() != end_points.shape()) {
    raise<InvalidArgument>({.what = str("perspective_transform from points of shape ",
                                        start_points.shape(), " to ", end_points.shape()),
                            .wanted = "two of one shape",
                            .location = at});
  }
  const PixelGrid grid = grid_of(batch);
  const Tensor numbers = homography(start_points, end_points);
  const auto number = [&](int64_t i) { return number_of(numbers, i); };
  const Tensor nearness = number(6) * grid.x + number(7) * grid.y + 1.0;
  const auto row = [&](int64_t i) {
    return (number(i) * grid.x + number(i + 1) * grid.y + number(i + 2)) / nearness;
  };
  return batch.as_given(
      pixels_at(batch, row(0), row(3),
                {options.interpolation.is("bilinear"), "constant", options.fill_value}));
}

Tensor elastic_transform(const Tensor& images, ElasticOptions options, At at) {
  const ImageBatch batch("elastic_transform", images, at);
  if (!(options.sigma > 0) || options.sigma > 1e4) {
    raise<InvalidArgument>({.what = str("elastic_transform with sigma ", options.sigma),
                            .wanted = "above 0, and 10000 at most",
                            .location = at});
  }
  const Shape sizes{batch.size(), batch.height(), batch.width(), 1};
  const Tensor weights =
      gaussian_weights(static_cast<int64_t>(6 * options.sigma) | 1, fill({}, options.sigma));
  const auto moves = [&](uint64_t which) {
    RandomOptions drawn;
    if (options.key) drawn.key = fold_in(*options.key, which);
    const Tensor field = random_normal(sizes, 0, options.sigma, drawn);
    return options.alpha * reshape(blurred(field, weights, weights), sizes.slice(0, 3));
  };
  const PixelGrid grid = grid_of(batch);
  return batch.as_given(
      pixels_at(batch, grid.x + moves(0), grid.y + moves(1),
                {options.interpolation.is("bilinear"), options.fill_mode, options.fill_value}));
}

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
