#include "systolic/image/augment/affine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Pillow's arithmetic: 16 fractional bits.
int64_t fixed(double value) { return static_cast<int64_t>(std::floor(value * 65536 + 0.5)); }

Extent single_picture(std::string_view function, const Literal& image) {
  const Extent extent = extent_of(function, image);
  if (extent.has_batch) {
    raise<InvalidArgument>({.what = str(function, " of a batch of shape ", image.shape()),
                            .wanted = "one picture [height, width, channels]"});
  }
  return extent;
}

}  // namespace

Literal affine(const Literal& image, const AffineMatrix& matrix, float fill,
               SourceLocation location) {
  const ErrorScope scope("affine", location);
  const Extent extent = single_picture("affine", image);
  for (const double number : matrix) {
    if (!(std::abs(number) < 32768)) {
      raise<InvalidArgument>({.what = str("the matrix has ", number), .wanted = "below 32768"});
    }
  }
  const auto& [a, b, c, d, e, f] = matrix;
  Literal result = Literal::filled(image.dtype(), image.shape(), fill);
  const int64_t pixel = extent.channels * byte_width(image.dtype());
  std::byte* to = result.mutable_raw();
  int64_t row_x = fixed(c + a * 0.5 + b * 0.5), row_y = fixed(f + d * 0.5 + e * 0.5);
  for (int64_t y = 0; y < extent.height; ++y, row_x += fixed(b), row_y += fixed(e)) {
    int64_t at_x = row_x, at_y = row_y;
    for (int64_t x = 0; x < extent.width; ++x, at_x += fixed(a), at_y += fixed(d), to += pixel) {
      const int64_t from_x = at_x >> 16, from_y = at_y >> 16;
      if (from_x >= 0 && from_x < extent.width && from_y >= 0 && from_y < extent.height) {
        std::memcpy(to, image.raw() + (from_y * extent.width + from_x) * pixel,
                    static_cast<size_t>(pixel));
      }
    }
  }
  return result;
}

Literal rotate(const Literal& image, double degrees, float fill, SourceLocation location) {
  const ErrorScope scope("rotate", location);
  const Extent extent = single_picture("rotate", image);
  const double angle = -degrees * std::numbers::pi / 180;
  const auto rounded = [](double x) { return std::round(x * 1e15) / 1e15; };
  const double cosine = rounded(std::cos(angle)), sine = rounded(std::sin(angle));
  const double x = static_cast<double>(extent.width) / 2;
  const double y = static_cast<double>(extent.height) / 2;
  return affine(image,
                {cosine, sine, x - cosine * x - sine * y, -sine, cosine, y + sine * x - cosine * y},
                fill, location);
}

}  // namespace image
}  // namespace systolic::inline v0
