// WebP images, lossy and lossless, decoded by libwebp; the first frame of an animation, on its
// whole canvas, transparent black where the frame does not reach.
//
//   const Literal picture = image::decode_webp(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/channels.h"

namespace systolic::inline v0 {
namespace image {

// u8 [height, width, channels]. DataLoss for damage; ResourceExhausted for more pixels than
// max_pixels.
Literal decode_webp(std::string_view bytes, const DecodeOptions& options = {},
                    SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
