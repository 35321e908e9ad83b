// GIF images (GIF89a): the first frame, on the picture's whole canvas, zero where the frame does
// not reach; a frame that reaches beyond enlarges the canvas, as in Pillow. With 4 channels the
// transparent colour has alpha 0; with fewer it shows, as in Pillow (in TensorFlow it is black).
//
//   const Literal picture = image::decode_gif(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/channels.h"

namespace systolic::inline v0 {
namespace image {

// u8 [height, width, channels]. DataLoss for damage, and for a canvas of more than 10 922 pixels
// for each byte of the file, the most that a frame can hold: memory is bounded by the file, however
// small the frame that a file claims a large canvas for. ResourceExhausted for more pixels than
// max_pixels.
Literal decode_gif(std::string_view bytes, const DecodeOptions& options = {},
                   SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
