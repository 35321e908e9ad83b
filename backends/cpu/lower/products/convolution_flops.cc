#include "backends/cpu/lower/products/convolution_flops.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using Wide = __int128;  // what a file says may overflow 64 bits

Wide floor_divided(Wide a, int64_t by) { return a >= 0 ? a / by : -((-a + by - 1) / by); }

// x with a * x = 1 modulo `modulus`, to which a is prime: Euclid's algorithm, extended.
int64_t inverse(int64_t a, int64_t modulus) {
  int64_t left = a % modulus, right = modulus;
  Wide x = 1, y = 0;  // left = x * a, right = y * a, modulo the modulus
  while (left > 1) {
    const int64_t times = right / left;
    right -= times * left;
    y -= times * x;
    std::swap(left, right);
    std::swap(x, y);
  }
  return left == 0 ? 0 : static_cast<int64_t>((x % modulus + modulus) % modulus);
}

constexpr int64_t most_counted = int64_t{1} << 20;  // elements of a window, one by one

int64_t narrowed(Wide count) {
  return static_cast<int64_t>(std::min(count, Wide{std::numeric_limits<int64_t>::max()}));
}

}  // namespace

int64_t meeting_pairs(int64_t size, const WindowAxis& axis) {
  const int64_t positions = window_count(size, axis), apart = axis.base_dilation;
  if (size <= 0 || positions <= 0) return 0;
  if (axis.window > most_counted) {
    // Two of a position, an element of the window and one of the axis leave one choice of the
    // third.
    const Wide p = positions, s = size, w = axis.window;
    return narrowed(std::min({p * w, p * s, w * s}));
  }
  // Elements lie `apart`: of every `period` positions one meets them, or none.
  const int64_t shared = std::gcd(apart, axis.stride), period = apart / shared;
  const int64_t step = inverse(axis.stride / shared, period);
  Wide pairs = 0;
  for (int64_t in_window = 0; in_window < axis.window; ++in_window) {
    // place = position * stride - start lies within [0, (size - 1) * apart].
    const Wide start = Wide{axis.padding_low} - Wide{in_window} * axis.window_dilation;
    if (start % shared != 0) continue;
    const Wide first = ((start / shared) % period * step % period + period) % period;
    const Wide end = start + Wide{size - 1} * apart;
    const Wide low = std::max(Wide{0}, -floor_divided(-start, axis.stride));
    const Wide high = std::min(Wide{positions - 1}, floor_divided(end, axis.stride));
    const auto up_to = [&](Wide last) {  // of first, first + period, ...
      return last < first ? Wide{0} : (last - first) / period + 1;
    };
    if (low <= high) pairs += up_to(high) - up_to(low - 1);
  }
  return narrowed(pairs);
}

double convolution_flops(const ir::ConvolutionAttributes& attributes, const Shape& input,
                         const Shape& kernel, const Shape& output) {
  const auto size = [](const Shape& shape, int64_t axis) {
    return static_cast<double>(shape[static_cast<int>(axis)]);
  };
  double flops = 2 * size(output, attributes.output_batch_dimension) *
                 size(output, attributes.output_feature_dimension) *
                 size(kernel, attributes.kernel_input_feature_dimension);
  for (size_t i = 0; i < attributes.input_spatial_dimensions.size(); ++i) {
    const int64_t along = input[static_cast<int>(attributes.input_spatial_dimensions[i])];
    flops *= static_cast<double>(meeting_pairs(along, ir::window_axis(attributes, i, kernel)));
  }
  return flops;
}

MatrixWork convolution_work(const ir::ConvolutionAttributes& attributes, const Shape& input,
                            const Shape& kernel, const Shape& output, int64_t unit) {
  const int64_t groups = attributes.feature_group_count * attributes.batch_group_count;
  int64_t rows = output[static_cast<int>(attributes.output_batch_dimension)];
  int64_t summed = kernel[static_cast<int>(attributes.kernel_input_feature_dimension)];
  for (size_t i = 0; i < attributes.output_spatial_dimensions.size(); ++i) {
    rows *= output[static_cast<int>(attributes.output_spatial_dimensions[i])];
    summed *= kernel[static_cast<int>(attributes.kernel_spatial_dimensions[i])];
  }
  const int64_t features = output[static_cast<int>(attributes.output_feature_dimension)];
  MatrixWork work =
      product_work(static_cast<double>(groups), rows, summed, features / groups, unit);
  work.flops = convolution_flops(attributes, input, kernel, output);
  return work;
}

}  // namespace cpu
}  // namespace systolic::inline v0
