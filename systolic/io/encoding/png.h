// PNG (RFC 2083), as far as TensorBoard's pictures need it: 8 bits a channel.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace systolic::inline v0 {
namespace io {

// `pixels` are [height, width, channels], 1 (grey), 2 (grey, alpha), 3 (RGB) or 4 (RGBA) of them.
// InvalidArgument where the sizes do not fit, or are 0 or above 65535.
std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels);

}  // namespace io
}  // namespace systolic::inline v0
