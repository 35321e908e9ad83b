#include "systolic/nn/layers/preprocessing/pictures/resize_pictures.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/layers/resize.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// What of one axis has the ratio of the targets, given the other; at least 1.
int64_t side_in_ratio(int64_t other, int64_t target, int64_t other_target) {
  const double side = static_cast<double>(other * target) / static_cast<double>(other_target);
  return std::max<int64_t>(static_cast<int64_t>(side), 1);
}

Tensor framed_pictures(const Tensor& x, int64_t rows, int64_t columns, double fill_value) {
  const int64_t height = x.shape()[1], width = x.shape()[2];
  // As many rows, or else columns, on either side: an odd number of them is cut, as Keras does.
  const int64_t above = std::max<int64_t>(side_in_ratio(width, rows, columns) - height, 0) / 2;
  const int64_t beside =
      above > 0 ? 0 : std::max<int64_t>(side_in_ratio(height, columns, rows) - width, 0) / 2;
  return pad(x, {{0, 0}, {above, above}, {beside, beside}, {0, 0}}, fill_value);
}

}  // namespace

Tensor resized_pictures(const Tensor& x, int64_t rows, int64_t columns,
                        const ResizePicturesOptions& options) {
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio) {
    raise<InvalidArgument>(
        {.what = "crop_to_aspect_ratio and pad_to_aspect_ratio", .wanted = "one of them at most"});
  }
  Tensor in = x;
  if (options.crop_to_aspect_ratio) {
    const int64_t height = x.shape()[1], width = x.shape()[2];
    in = middle_box(x, std::min(height, side_in_ratio(width, rows, columns)),
                    std::min(width, side_in_ratio(height, columns, rows)));
  }
  if (options.pad_to_aspect_ratio) in = framed_pictures(x, rows, columns, options.fill_value);
  const Tensor high = resize_axis(in, 1, rows, options.interpolation, options.antialias);
  return resize_axis(high, 2, columns, options.interpolation, options.antialias);
}

Tensor middle_box(const Tensor& x, int64_t rows, int64_t columns) {
  const Shape& shape = x.shape();
  return slice(x, {0, (shape[1] - rows) / 2, (shape[2] - columns) / 2, 0},
               {shape[0], rows, columns, shape[3]});
}

}  // namespace systolic::inline v0
