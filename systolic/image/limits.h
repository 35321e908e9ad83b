// How large a picture a decoder makes: a header of a few bytes may claim any size.
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace image {

// 8192 × 8192 pixels, 200 MB as RGB. Decoders take another limit in their options.
inline constexpr int64_t default_max_pixels = int64_t{1} << 26;

// ResourceExhausted where height × width is more than max_pixels, DataLoss where either is not
// positive. `kind` names the format: "JPEG".
void check_size(std::string_view kind, int64_t height, int64_t width, int64_t max_pixels);

}  // namespace image
}  // namespace systolic::inline v0
