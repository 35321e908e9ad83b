#include "systolic/ops/patches.h"

#include <span>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/pictures.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

// Windows over a picture of this many rows and columns.
struct Windows {
  int64_t rows, columns;    // of windows
  std::vector<int32_t> at;  // [windows, kernel]: places in the picture, row by row
};

int64_t count_of(int64_t size, int64_t kernel, int64_t dilation, int64_t stride, At at) {
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (kernel >= 1 && dilation >= 1 && stride >= 1 && reach <= size)
    return 1 + (size - reach) / stride;
  raise<InvalidArgument>({.what = str("windows of ", kernel, " elements, ", dilation,
                                      " apart, each ", stride, " on an axis of ", size),
                          .wanted = "1 or more, and a window that fits",
                          .location = at});
}

Windows windows_of(Size2 picture, Size2 kernel, Size2 dilation, Size2 stride, At at) {
  Windows windows{count_of(picture.height, kernel.height, dilation.height, stride.height, at),
                  count_of(picture.width, kernel.width, dilation.width, stride.width, at),
                  {}};
  for (int64_t row = 0; row < windows.rows; ++row) {
    for (int64_t column = 0; column < windows.columns; ++column) {
      for (int64_t i = 0; i < kernel.height; ++i) {
        for (int64_t j = 0; j < kernel.width; ++j) {
          const int64_t y = row * stride.height + i * dilation.height,
                        x = column * stride.width + j * dilation.width;
          windows.at.push_back(static_cast<int32_t>(y * picture.width + x));
        }
      }
    }
  }
  return windows;
}

void check_picture(std::string_view op, const Tensor& x, int rank, const char* wanted, At at) {
  if (x.rank() == rank) return;
  raise<InvalidArgument>(
      {.what = str(op, " of shape ", x.shape()), .wanted = wanted, .location = at});
}

Size2 padded_size(Size2 size, Size2 padding) {
  return {size.height + 2 * padding.height, size.width + 2 * padding.width};
}

}  // namespace

Tensor unfold(const Tensor& x, UnfoldOptions options, At at) {
  check_picture("unfold", x, 4, "[batch, channels, height, width]", at);
  const int64_t batch = x.shape()[0], channels = x.shape()[1];
  const Size2 size = padded_size({x.shape()[2], x.shape()[3]}, options.padding);
  const Windows windows =
      windows_of(size, options.kernel_size, options.dilation, options.stride, at);
  const int64_t count = windows.rows * windows.columns,
                kernel = options.kernel_size.height * options.kernel_size.width;
  const Tensor padded = v0::pad(x,
                                {{0, 0},
                                 {0, 0},
                                 {options.padding.height, options.padding.height},
                                 {options.padding.width, options.padding.width}},
                                0, at);
  const Tensor places(Literal::from(std::span<const int32_t>(windows.at), {count, kernel}));
  const Tensor found = v0::gather(
      v0::reshape(padded, {batch, channels, size.height * size.width}, at), places, 2, at);
  return v0::reshape(v0::transpose(found, {0, 1, 3, 2}, at), {batch, channels * kernel, count}, at);
}

Tensor fold(const Tensor& x, Size2 output_size, UnfoldOptions options, At at) {
  check_picture("fold", x, 3, "[batch, channels * kernel, windows]", at);
  const Size2 size = padded_size(output_size, options.padding);
  const Windows windows =
      windows_of(size, options.kernel_size, options.dilation, options.stride, at);
  const int64_t count = windows.rows * windows.columns,
                kernel = options.kernel_size.height * options.kernel_size.width,
                batch = x.shape()[0], channels = x.shape()[1] / kernel;
  if (x.shape()[2] != count || channels * kernel != x.shape()[1]) {
    raise<InvalidArgument>({.what = str("fold of shape ", x.shape()),
                            .wanted = str(count, " windows of ", kernel, " elements a channel"),
                            .location = at});
  }
  // [windows * kernel, batch * channels]
  const Tensor apart = v0::reshape(x, {batch * channels, kernel, count}, at);
  const Tensor rows =
      v0::reshape(v0::transpose(apart, {2, 1, 0}, at), {count * kernel, batch * channels}, at);
  const Tensor places(Literal::from(std::span<const int32_t>(windows.at), {count * kernel}));
  const Tensor empty = v0::zeros({size.height * size.width, batch * channels}, x.dtype());
  const Tensor sums = v0::transpose(v0::scatter_add(empty, places, rows, at), {1, 0}, at);
  return v0::slice(v0::reshape(sums, {batch, channels, size.height, size.width}, at),
                   {0, 0, options.padding.height, options.padding.width},
                   {batch, channels, output_size.height, output_size.width}, at);
}

namespace image {

Tensor extract_patches(const Tensor& x, PatchOptions options, At at) {
  check_picture("extract_patches", x, 4, "[batch, height, width, channels]", at);
  const Size2 stride = options.strides == Size2(0) ? options.size : options.strides;
  Tensor padded = x;
  if (options.padding.is("same")) {
    padded = v0::pad(
        x,
        {{0, 0},
         same_padding(x.shape()[1], options.size.height, stride.height,
                      options.dilation_rate.height),
         same_padding(x.shape()[2], options.size.width, stride.width, options.dilation_rate.width),
         {0, 0}},
        0, at);
  }
  const Size2 size{padded.shape()[1], padded.shape()[2]};
  const Windows windows = windows_of(size, options.size, options.dilation_rate, stride, at);
  const int64_t kernel = options.size.height * options.size.width, batch = x.shape()[0],
                channels = x.shape()[3];
  const Tensor places(
      Literal::from(std::span<const int32_t>(windows.at), {windows.rows, windows.columns, kernel}));
  const Tensor found = v0::gather(
      v0::reshape(padded, {batch, size.height * size.width, channels}, at), places, 1, at);
  return v0::reshape(found, {batch, windows.rows, windows.columns, kernel * channels}, at);
}

Tensor rgb_to_grayscale(const Tensor& x, At) {
  check_pictures(x, 3);
  return gray_of(x);
}
Tensor rgb_to_hsv(const Tensor& x, At) {
  check_pictures(x, 3);
  return v0::rgb_to_hsv(x);
}
Tensor hsv_to_rgb(const Tensor& x, At) {
  check_pictures(x, 3);
  return v0::hsv_to_rgb(x);
}

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
