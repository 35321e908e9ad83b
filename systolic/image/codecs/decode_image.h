// A picture of any supported format, told by its first bytes: JPEG, PNG, GIF, BMP, WebP.
//
//   const Literal picture = image::decode_image(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/channels.h"
#include "systolic/image/codecs/format.h"

namespace systolic::inline v0 {
namespace image {

// u8 [height, width, channels]; the first frame of an animation. JPEG by the accurate transform.
// InvalidArgument for bytes of no such format; other errors as those of decode_jpeg, decode_png...
Literal decode_image(std::string_view bytes, const DecodeOptions& options = {},
                     SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
