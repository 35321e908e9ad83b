#include "systolic/image/resize/filter_kernels.h"

#include <cmath>
#include <numbers>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {
namespace {

double sinc(double x) {
  if (x == 0) return 1;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double box(double x) { return x <= 0.5 ? 1 : 0; }

double triangle(double x) { return x < 1 ? 1 - x : 0; }

// Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -1/2.
double keys_cubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
}

// Mitchell and Netravali, "Reconstruction filters in computer graphics", 1988, with B = C = 1/3.
double mitchell_cubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-7.0 / 18 * x + 2) * x - 10.0 / 3) * x + 16.0 / 9
                : (7.0 / 6 * x - 2) * x * x + 8.0 / 9;
}

double lanczos3(double x) { return x < 3 ? sinc(x) * sinc(x / 3) : 0; }

double lanczos5(double x) { return x < 5 ? sinc(x) * sinc(x / 5) : 0; }

double gaussian(double x) { return x < 1.5 ? std::exp(-2 * x * x) : 0; }

double hamming(double x) {
  return x < 1 ? sinc(x) * (0.54 + 0.46 * std::cos(std::numbers::pi * x)) : 0;
}

}  // namespace

FilterKernel filter_kernel(Resize method) {
  switch (method) {
    case Resize::bilinear:
      return {1, triangle};
    case Resize::bicubic:
      return {2, keys_cubic};
    case Resize::area:
      return {0.5, box};
    case Resize::lanczos3:
      return {3, lanczos3};
    case Resize::lanczos5:
      return {5, lanczos5};
    case Resize::gaussian:
      return {1.5, gaussian};
    case Resize::mitchell_cubic:
      return {2, mitchell_cubic};
    case Resize::hamming:
      return {1, hamming};
    case Resize::nearest:
      break;
  }
  raise<Internal>({.what = "nearest has no kernel"});
}

}  // namespace image
}  // namespace systolic::inline v0
