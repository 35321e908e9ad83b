// PNG images (ISO/IEC 15948), decoded by libpng: every depth, palettes, interlacing.
//
//   const Literal picture = image::decode_png(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {

struct DecodePngOptions {
  int channels = 0;         // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA; 0 takes the file's
  DType dtype = DType::u8;  // or u16: 8 bits become 16 by v * 257, 16 become 8 by their high byte
  int64_t max_pixels = default_max_pixels;  // a larger picture is a ResourceExhausted
};

// [height, width, channels]. A palette counts as RGB, with transparency as RGBA; the single
// transparent colour that other pictures may name shows only where alpha is asked for. Grey becomes
// colour by repeating; colour becomes grey by ITU-R BT.601's weights (0.299, 0.587, 0.114).
// DataLoss for damage; ResourceExhausted for more pixels than max_pixels.
Literal decode_png(std::string_view bytes, const DecodePngOptions& options = {},
                   SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
