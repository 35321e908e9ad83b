// Which kind of picture bytes are, told by how they begin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace image {

enum class Format : uint8_t { unknown, jpeg, png, gif, bmp, webp };
Format format_of(std::string_view bytes);

// What bytes are that are no picture which we read, and what to do: "HEIC or AVIF", "a Git LFS
// pointer", "the text 'not fou…'".
struct NoPicture {
  std::string is, remedy;
};
NoPicture what_else(std::string_view bytes);

// Bytes of another kind than a decoder reads are a DataLoss that names both, "a.jpg" being a PNG
// the usual case.
void check_format(Format wanted, std::string_view bytes);

// What to do about a damaged picture.
inline constexpr const char* remedy_of_damage =
    "fetch the file again, or write it anew as a PNG or an 8-bit JPEG";

}  // namespace image
}  // namespace systolic::inline v0
