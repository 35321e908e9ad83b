// Pictures of other sizes, and parts of them.
#include <span>

#include "systolic/nn/layers/along_axis.h"
#include "systolic/nn/layers/preprocessing/pictures/resize_pictures.h"
#include "systolic/nn/layers/resize.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_batch.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace ops {
namespace image {
namespace {

using Given = std::optional<int64_t>;

[[noreturn]] void raise_sides(const char* op, const char* axis, const Given& before,
                              const Given& after, const Given& target, At at) {
  const auto shown = [](const Given& one) { return one ? str(*one) : std::string("-"); };
  raise<InvalidArgument>({.what = str(op, " along the ", axis, ": before ", shown(before),
                                      ", after ", shown(after), ", target ", shown(target)),
                          .wanted = "two of the three, and a box that fits",
                          .location = at});
}

struct Sides {
  int64_t before, after;
};

// Two of before, after and target say the third: what they add up to is `total(target)`.
template <class Total>
Sides sides_of(const char* op, const char* axis, const Given& before, const Given& after,
               const Given& target, const Total& total, At at) {
  const int given = before.has_value() + after.has_value() + target.has_value();
  if (given == 0) return {0, 0};
  if (given != 2) raise_sides(op, axis, before, after, target, at);
  Sides sides{before.value_or(0), after.value_or(0)};
  if (target && before) sides.after = total(*target) - *before;
  if (target && after) sides.before = total(*target) - *after;
  if (sides.before < 0 || sides.after < 0) raise_sides(op, axis, before, after, target, at);
  return sides;
}

std::vector<int64_t> sizes_of(Size3 size) { return {size.depth, size.height, size.width}; }

// Places in a volume of `sizes`: [windows, elements of a patch], and how many windows along each
// axis.
struct Patches {
  std::vector<int64_t> counts;
  std::vector<int32_t> places;
};

std::vector<int64_t> counts_of(const std::vector<int64_t>& sizes,
                               const std::vector<int64_t>& kernel,
                               const std::vector<int64_t>& strides,
                               const std::vector<int64_t>& dilation, At at) {
  std::vector<int64_t> counts;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t reach = (kernel[axis] - 1) * dilation[axis] + 1;
    if (kernel[axis] < 1 || strides[axis] < 1 || dilation[axis] < 1 || reach > sizes[axis]) {
      raise<InvalidArgument>({.what = str("extract_patches_3d: patches of ", kernel[axis],
                                          " elements on an axis of ", sizes[axis]),
                              .wanted = "1 or more, and a patch that fits",
                              .location = at});
    }
    counts.push_back(1 + (sizes[axis] - reach) / strides[axis]);
  }
  return counts;
}

// Calls visit(place along each axis) for each place below `limits`, the last axis first.
template <class Visit>
void for_each_place(const std::vector<int64_t>& limits, const Visit& visit) {
  std::vector<int64_t> place(3);
  for (place[0] = 0; place[0] < limits[0]; ++place[0])
    for (place[1] = 0; place[1] < limits[1]; ++place[1])
      for (place[2] = 0; place[2] < limits[2]; ++place[2]) visit(place);
}

Patches patches_of(const std::vector<int64_t>& sizes, const std::vector<int64_t>& kernel,
                   const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation,
                   At at) {
  Patches result{counts_of(sizes, kernel, strides, dilation, at), {}};
  for_each_place(result.counts, [&](const std::vector<int64_t>& window) {
    for_each_place(kernel, [&](const std::vector<int64_t>& element) {
      int64_t place = 0;
      for (size_t axis = 0; axis < 3; ++axis)
        place = place * sizes[axis] + window[axis] * strides[axis] + element[axis] * dilation[axis];
      result.places.push_back(static_cast<int32_t>(place));
    });
  });
  return result;
}

}  // namespace

Tensor crop_images(const Tensor& images, CropOptions options, At at) {
  const ImageBatch batch("crop_images", images, at);
  const auto cut = [](int64_t size) { return [size](int64_t target) { return size - target; }; };
  const Sides rows =
                  sides_of("crop_images", "height", options.top_cropping, options.bottom_cropping,
                           options.target_height, cut(batch.height()), at),
              columns =
                  sides_of("crop_images", "width", options.left_cropping, options.right_cropping,
                           options.target_width, cut(batch.width()), at);
  const int64_t height = batch.height() - rows.before - rows.after,
                width = batch.width() - columns.before - columns.after;
  if (height < 1 || width < 1) {
    raise<InvalidArgument>({.what = str("crop_images to ", height, " x ", width),
                            .wanted = str("a box within ", images.shape()),
                            .location = at});
  }
  return batch.as_given(v0::slice(batch.batch(), {0, rows.before, columns.before, 0},
                                  {batch.size(), height, width, batch.channels()}, at));
}

Tensor pad_images(const Tensor& images, PadOptions options, At at) {
  const ImageBatch batch("pad_images", images, at);
  const auto added = [](int64_t size) { return [size](int64_t target) { return target - size; }; };
  const Sides rows = sides_of("pad_images", "height", options.top_padding, options.bottom_padding,
                              options.target_height, added(batch.height()), at),
              columns = sides_of("pad_images", "width", options.left_padding, options.right_padding,
                                 options.target_width, added(batch.width()), at);
  return batch.as_given(
      v0::pad(batch.batch(),
              {{0, 0}, {rows.before, rows.after}, {columns.before, columns.after}, {0, 0}}, 0, at));
}

Tensor resize(const Tensor& images, Size2 size, ResizeOptions options, At at) {
  const ImageBatch batch("resize", images, at);
  if (size.height < 1 || size.width < 1) {
    raise<InvalidArgument>(
        {.what = str("resize to ", to_string(size)), .wanted = "1 x 1 or more", .location = at});
  }
  const ErrorScope scope("resize", at);
  return batch.as_given(resized_pictures(batch.batch(), size.height, size.width,
                                         {.interpolation = options.interpolation,
                                          .antialias = options.antialias,
                                          .crop_to_aspect_ratio = options.crop_to_aspect_ratio,
                                          .pad_to_aspect_ratio = options.pad_to_aspect_ratio,
                                          .fill_value = options.fill_value}));
}

Tensor scale_and_translate(const Tensor& x, const Shape& output_shape, ScaleOptions options,
                           At at) {
  const size_t count = options.spatial_dims.size();
  if (output_shape.rank() != x.rank() || options.scale.size() != count ||
      options.translation.size() != count || options.method.is("nearest")) {
    raise<InvalidArgument>(
        {.what = str("scale_and_translate of ", x.shape(), " to ", output_shape, " along ", count,
                     " axes, with ", options.scale.size(), " scales and ",
                     options.translation.size(), " translations, by ", options.method.name()),
         .wanted = "a shape of that rank, a scale and a translation for each axis, and a method "
                   "that is not nearest",
         .location = at});
  }
  Tensor result = x;
  for (size_t i = 0; i < count; ++i) {
    const int given = options.spatial_dims[i], axis = given < 0 ? given + x.rank() : given;
    if (axis < 0 || axis >= x.rank() || !(options.scale[i] > 0)) {
      raise<InvalidArgument>(
          {.what = str("scale_and_translate along axis ", given, " by ", options.scale[i]),
           .wanted = "an axis of the array and a scale above 0",
           .location = at});
    }
    const Literal shares = shares_at(output_shape[axis], x.shape()[axis], options.scale[i],
                                     options.translation[i], options.method, options.antialias);
    result = multiply_along_axis(shares, result, axis);
  }
  if (result.shape() == output_shape) return result;
  raise<InvalidArgument>({.what = str("scale_and_translate of ", x.shape(), " to ", output_shape),
                          .wanted = "other sizes along spatial_dims alone",
                          .location = at});
}

Tensor extract_patches_3d(const Tensor& volumes, Patch3DOptions options, At at) {
  if (volumes.rank() != 4 && volumes.rank() != 5) {
    raise<InvalidArgument>({.what = str("extract_patches_3d of shape ", volumes.shape()),
                            .wanted = "[batch, depth, height, width, channels]",
                            .location = at});
  }
  Tensor x = volumes.rank() == 4 ? v0::expand_dims(volumes, 0, at) : volumes;
  const std::vector<int64_t> kernel = sizes_of(options.size),
                             dilation = sizes_of(options.dilation_rate),
                             strides =
                                 options.strides == Size3(0) ? kernel : sizes_of(options.strides);
  if (options.padding.is("same")) {
    std::vector<std::pair<int64_t, int64_t>> around(5, {0, 0});
    for (size_t i = 0; i < 3; ++i)
      around[i + 1] =
          same_padding(x.shape()[static_cast<int>(i) + 1], kernel[i], strides[i], dilation[i]);
    x = v0::pad(x, around, 0, at);
  }
  const Shape& shape = x.shape();
  const Patches patches = patches_of({shape[1], shape[2], shape[3]}, kernel, strides, dilation, at);
  const int64_t elements = kernel[0] * kernel[1] * kernel[2], channels = shape[4];
  const std::vector<int64_t>& counts = patches.counts;
  const Tensor places(Literal::from(std::span<const int32_t>(patches.places),
                                    {counts[0], counts[1], counts[2], elements}));
  const Tensor flat = v0::reshape(x, {shape[0], shape[1] * shape[2] * shape[3], channels}, at);
  const Tensor result =
      v0::reshape(v0::gather(flat, places, 1, at),
                  {shape[0], counts[0], counts[1], counts[2], elements * channels}, at);
  return volumes.rank() == 4 ? v0::squeeze(result, {0}, at) : result;
}

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
