// Which kind of picture bytes are, told by how they begin.
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace image {

enum class Format : uint8_t { unknown, jpeg, png, gif, bmp, webp };
Format format_of(std::string_view bytes);

// Bytes of another kind than a decoder reads are a DataLoss that names both, "a.jpg" being a PNG
// the usual case; bytes of no kind are the decoder's to judge.
void check_format(Format wanted, std::string_view bytes);

}  // namespace image
}  // namespace systolic::inline v0
