// From a file's bytes to a network's input in one pass: decoded, resized and normalized, without a
// picture in between.
//
//   const Literal input = image::decode_and_resize(bytes, 224, 224, {.scaled_decoding = true});
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/image/convert.h"
#include "systolic/image/resize/resize.h"

namespace systolic::inline v0 {
namespace image {

struct DecodeAndResizeOptions {
  int channels = 3;         // 1 or 3
  Dct dct = Dct::accurate;  // of a JPEG
  // JPEG only: decodes at 1/8, 1/4 or 1/2, where that has at least 4/5 of the requested rows and
  // columns. Faster, and close to an antialiased resize of the whole picture, but not equal.
  bool scaled_decoding = false;
  Resize method = Resize::bilinear;         // tf.image.resize's; not nearest
  bool antialias = false;                   // where the picture shrinks, every pixel counts
  Normalization normalization = {};         // 0 to 1
  int64_t max_pixels = default_max_pixels;  // a larger picture is a ResourceExhausted
};

// f32 [height, width, channels]. The same as decode_image, resize, normalize, up to rounding, with
// their errors.
Literal decode_and_resize(std::string_view bytes, int64_t height, int64_t width,
                          const DecodeAndResizeOptions& options = {},
                          SourceLocation location = SourceLocation::current());
inline Literal decode_and_resize(std::string_view bytes, Size size,
                                 const DecodeAndResizeOptions& options = {},
                                 SourceLocation location = SourceLocation::current()) {
  return decode_and_resize(bytes, size.height, size.width, options, location);
}

}  // namespace image
}  // namespace systolic::inline v0
