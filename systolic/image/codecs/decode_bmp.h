// BMP images: 1, 4 or 8 bits with a palette, plain or run-length encoded; 16, 24 and 32 bits, with
// any masks; from the bottom up or from the top down. 32 bits are RGBA, as in TensorFlow; the rest
// follows Pillow (TensorFlow takes palette indices for grey, and every mask for BGRA).
//
//   const Literal picture = image::decode_bmp(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/channels.h"

namespace systolic::inline v0 {
namespace image {

// u8 [height, width, channels]. DataLoss for damage, and for run lengths of more than 128 pixels
// for each byte of the file; ResourceExhausted for more pixels than max_pixels.
Literal decode_bmp(std::string_view bytes, const DecodeOptions& options = {},
                   SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
