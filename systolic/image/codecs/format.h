// Which kind of picture bytes are, told by how they begin.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace image {

// Kinds of pictures that are told apart; `unknown` is any other.
enum class Format : uint8_t { unknown, jpeg, png, gif, bmp, webp };
// The format that the first bytes tell, whatever a file's name says.
Format format_of(std::string_view bytes);

// What bytes are that are not a supported picture, and what to do: "HEIC or AVIF", "a Git LFS
// pointer", "the text 'not fou…'".
struct NoPicture {
  std::string is, remedy;
};
NoPicture what_else(std::string_view bytes);

// DataLoss for bytes of another kind than a decoder reads, naming both; usually "a.jpg" is a PNG.
void check_format(Format wanted, std::string_view bytes);

// What to do about a damaged picture.
inline constexpr const char* remedy_of_damage =
    "fetch the file again, or save it again as a PNG or an 8-bit JPEG";

}  // namespace image
}  // namespace systolic::inline v0
