// Pictures turned by any angle, sheared and shifted, as Pillow does with NEAREST. `image` is u8 or
// f32 [height, width, channels].
//
//   const Literal turned = image::rotate(picture, 15);
#pragma once

#include <array>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

// (a, b, c, d, e, f): the new pixel at (x, y) is the old one at (a x + b y + c, d x + e y + f),
// with positions measured to the pixels' centers; `fill` where there is none.
using AffineMatrix = std::array<double, 6>;
Literal affine(const Literal& image, const AffineMatrix& matrix, float fill = 0,
               SourceLocation location = SourceLocation::current());

// Counter-clockwise around the middle, at the same size.
Literal rotate(const Literal& image, double degrees, float fill = 0,
               SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
