#include "systolic/image/codecs/format.h"

#include <algorithm>
#include <array>

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace image {
namespace {

std::string_view name_of(Format format) {
  switch (format) {
    case Format::jpeg:
      return "JPEG";
    case Format::png:
      return "PNG";
    case Format::gif:
      return "GIF";
    case Format::bmp:
      return "BMP";
    case Format::webp:
      return "WebP";
    case Format::unknown:
      break;
  }
  return "unknown";
}

constexpr const char* convert = "convert it to JPEG, PNG, GIF, BMP or WebP";
constexpr const char* fetch_again = "remove it, or fetch it again";

struct Signature {
  size_t at;
  std::string_view bytes, is, remedy;
};
using namespace std::string_view_literals;
constexpr std::array<Signature, 15> signatures{{
    {0, "II*\0"sv, "a TIFF image", convert},
    {0, "MM\0*"sv, "a TIFF image", convert},
    {4, "ftypavi", "an AVIF image", convert},
    {4, "ftyphe", "a HEIC image", convert},
    {4, "ftypmif1", "a HEIC or AVIF image", convert},
    {0, "\xff\x0a", "a JPEG XL image", convert},
    {0, "\0\0\0\x0cJXL "sv, "a JPEG XL image", convert},
    {0, "\0\0\0\x0cjP  "sv, "a JPEG 2000 image", convert},
    {0, "8BPS", "a Photoshop image", convert},
    {0, "\0\0\1\0"sv, "a Windows icon", convert},
    {0, "%PDF", "a PDF", convert},
    {0, "<svg", "an SVG drawing", convert},
    {0, "version https://git-lfs", "a Git LFS pointer", "`git lfs pull` fetches the file itself"},
    {0, "\x1f\x8b", "compressed by gzip", "decompress it first"},
    {0, "PK\3\4", "a zip archive", "unpack it first"},
}};

// Whether no editor would take it for binary.
bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

}  // namespace

NoPicture what_else(std::string_view bytes) {
  if (bytes.empty()) return {"empty", fetch_again};
  for (const Signature& each : signatures) {
    if (bytes.size() >= each.at && bytes.substr(each.at, each.bytes.size()) == each.bytes) {
      return {std::string(each.is), std::string(each.remedy)};
    }
  }
  constexpr size_t most_text = 40, most_bytes = 8;
  if (is_text(bytes.substr(0, 256))) {
    std::string line(bytes.substr(0, std::min(bytes.find_first_of("\r\n"), most_text)));
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c < 0x20 || c > 0x7e; }, '?');
    const bool names_a_file = line.size() == bytes.size() && line.find('.') != std::string::npos &&
                              line.find_first_of("<>{ ") == std::string::npos;
    return {str("the text '", line, line.size() < bytes.size() ? "…'" : "'"),
            names_a_file ? "io::read_file(path) gives a file's bytes" : fetch_again};
  }
  std::string begin;
  for (const char c : bytes.substr(0, most_bytes)) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    begin += {' ', digits[byte >> 4], digits[byte & 15]};
  }
  return {str("unknown: they begin", begin), fetch_again};
}

Format format_of(std::string_view bytes) {
  const auto starts = [bytes](std::string_view with) {
    return bytes.substr(0, with.size()) == with;
  };
  if (starts("\xff\xd8\xff")) return Format::jpeg;
  if (starts("\x89PNG\r\n\x1a\n")) return Format::png;
  if (starts("GIF87a") || starts("GIF89a")) return Format::gif;
  if (starts("BM")) return Format::bmp;
  if (starts("RIFF") && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP") return Format::webp;
  return Format::unknown;
}

void check_format(Format wanted, std::string_view bytes) {
  const Format format = format_of(bytes);
  if (format == wanted) return;
  if (format == Format::unknown) {
    NoPicture other = what_else(bytes);
    raise<DataLoss>({.what = str("the bytes are ", other.is),
                     .wanted = str("a ", name_of(wanted), " image"),
                     .hint = std::move(other.remedy)});
  }
  raise<DataLoss>({.what = str("the bytes are a ", name_of(format), " image"),
                   .wanted = str("a ", name_of(wanted), " image"),
                   .hint = "decode_image reads each of them, whatever a file's name says"});
}

}  // namespace image
}  // namespace systolic::inline v0
