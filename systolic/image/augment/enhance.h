// Pillow's ImageEnhance and ImageOps, exactly. `image` is u8 [height, width, channels], channels 1
// or 3.
//
//   const Literal vivid = image::enhance_color(picture, 1.5);
#pragma once

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

// Interpolates between grey, the mean grey, black or a smoothed picture (factor 0) and the picture
// (factor 1); above 1 extrapolates.
Literal enhance_color(const Literal& image, double factor,
                      SourceLocation location = SourceLocation::current());
Literal enhance_contrast(const Literal& image, double factor,
                         SourceLocation location = SourceLocation::current());
Literal enhance_brightness(const Literal& image, double factor,
                           SourceLocation location = SourceLocation::current());
Literal enhance_sharpness(const Literal& image, double factor,
                          SourceLocation location = SourceLocation::current());

// Each channel stretched to 0...255; equalized, so that all levels are as frequent as possible.
Literal autocontrast(const Literal& image, SourceLocation location = SourceLocation::current());
Literal equalize(const Literal& image, SourceLocation location = SourceLocation::current());
Literal invert(const Literal& image, SourceLocation location = SourceLocation::current());
// Keeps the highest `bits` of each number, 0 to 8.
Literal posterize(const Literal& image, int bits,
                  SourceLocation location = SourceLocation::current());
// Inverts numbers of at least `threshold`.
Literal solarize(const Literal& image, int threshold = 128,
                 SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
