// Pictures filtered.
#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_batch.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace ops {
namespace image {
namespace {

void check_filter(const char* what, int64_t size, double sigma, At at) {
  if (size >= 1 && sigma > 0) return;
  raise<InvalidArgument>({.what = str(what, " of size ", size, " and sigma ", sigma),
                          .wanted = "a size of 1 or more, and a sigma above 0",
                          .location = at});
}

Tensor weights_of(int64_t size, double sigma) { return gaussian_weights(size, fill({}, sigma)); }

// Each channel by itself, by a filter of 3 x 3.
Tensor filtered_by(const Tensor& x, std::span<const float> filter) {
  const int64_t channels = x.shape()[3];
  const Tensor kernel =
      broadcast_to(Tensor(Literal::from(filter, {3, 3, 1, 1})), {3, 3, 1, channels});
  return convolution(x, kernel, {.padding = {{1, 1}, {1, 1}}, .groups = channels});
}

// The weighted means of all windows that lie inside: [rows, height, width, 1] to
// [rows, height - size + 1, width - size + 1, 1].
Tensor means_inside(const Tensor& x, const Tensor& weights) {
  const int64_t size = weights.shape()[0];
  const Tensor along_rows = convolution(x, reshape(weights, {1, size, 1, 1}));
  return convolution(along_rows, reshape(weights, {size, 1, 1, 1}));
}

// Each channel as a picture of its own, in f32.
Tensor channels_apart(const ImageBatch& images) {
  return reshape(transpose(cast(images.batch(), DType::f32), {0, 3, 1, 2}),
                 {images.size() * images.channels(), images.height(), images.width(), 1});
}

void check_pair(const ImageBatch& a, const Tensor& image1, const Tensor& image2, int64_t size,
                At at) {
  if (image1.shape() != image2.shape()) {
    raise<InvalidArgument>({.what = str("ssim of ", image1.shape(), " and ", image2.shape()),
                            .wanted = "two of one shape",
                            .location = at});
  }
  if (size <= a.height() && size <= a.width()) return;
  raise<InvalidArgument>({.what = str("ssim with a filter of ", size, " on ", image1.shape()),
                          .wanted = "a filter no larger than the pictures",
                          .location = at});
}

}  // namespace

Tensor gaussian_blur(const Tensor& images, GaussianBlurOptions options, At at) {
  const ImageBatch batch("gaussian_blur", images, at);
  check_filter("gaussian_blur", options.kernel_size.height, options.sigma.first, at);
  check_filter("gaussian_blur", options.kernel_size.width, options.sigma.second, at);
  const Tensor result = blurred(cast(batch.batch(), DType::f32),
                                weights_of(options.kernel_size.height, options.sigma.first),
                                weights_of(options.kernel_size.width, options.sigma.second));
  return batch.as_given(cast(result, images.dtype()));
}

Tensor sobel_edges(const Tensor& images, At at) {
  const ImageBatch batch("sobel_edges", images, at);
  static constexpr float down[] = {-1, -2, -1, 0, 0, 0, 1, 2, 1},
                         right[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  const Tensor x = cast(batch.batch(), DType::f32);
  return batch.as_given(
      cast(stack({filtered_by(x, down), filtered_by(x, right)}, -1), images.dtype()));
}

Tensor ssim(const Tensor& image1, const Tensor& image2, SsimOptions options, At at) {
  const ImageBatch first("ssim", image1, at), second("ssim", image2, at);
  check_filter("ssim", options.filter_size, options.filter_sigma, at);
  check_pair(first, image1, image2, options.filter_size, at);
  const Tensor weights = weights_of(options.filter_size, options.filter_sigma);
  const Tensor x = channels_apart(first), y = channels_apart(second);
  const Tensor mean_x = means_inside(x, weights), mean_y = means_inside(y, weights);
  const Tensor var_x = means_inside(x * x, weights) - mean_x * mean_x;
  const Tensor var_y = means_inside(y * y, weights) - mean_y * mean_y;
  const Tensor covariance = means_inside(x * y, weights) - mean_x * mean_y;
  const double of_means = options.k1 * options.max_val, of_variances = options.k2 * options.max_val;
  const double c1 = of_means * of_means, c2 = of_variances * of_variances;
  const Tensor likeness = (2.0 * mean_x * mean_y + c1) * (2.0 * covariance + c2) /
                          ((mean_x * mean_x + mean_y * mean_y + c1) * (var_x + var_y + c2));
  const Tensor of_each = mean(reshape(likeness, {first.size(), -1}), 1);
  return cast(first.as_given(of_each), image1.dtype());
}

}  // namespace image
}  // namespace ops
}  // namespace systolic::inline v0
