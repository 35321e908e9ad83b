#include "systolic/image/format.h"

#include "systolic/base/error.h"

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

}  // namespace

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
  if (format == wanted || format == Format::unknown) return;
  raise<DataLoss>({.what = str("the bytes are a ", name_of(format), " image"),
                   .wanted = str("a ", name_of(wanted), " image"),
                   .hint = "decode_image reads each of them, whatever a file's name says"});
}

}  // namespace image
}  // namespace systolic::inline v0
