// Converts bytes of pictures between grey, RGB and RGBA, for decoders.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

// The options of the decoders of small formats.
struct DecodeOptions {
  int channels = 0;                       // 1 grey, 3 RGB, 4 RGBA; 0 takes what the file has
  int64_t max_pixels = int64_t{1} << 26;  // a larger picture is a ResourceExhausted
};

// InvalidArgument for a channel count other than these.
void check_channels(std::string_view function, int channels);

// u8 [height, width, from] to [height, width, channels], both 1, 3 or 4. Grey is repeated, colour
// becomes ITU-R BT.601's luma, alpha is dropped or 255.
Literal with_channels(const Literal& picture, int channels);

}  // namespace image
}  // namespace systolic::inline v0
