#include "systolic/image/codecs/decode_image.h"

#include "systolic/base/error.h"
#include "systolic/image/codecs/decode_bmp.h"
#include "systolic/image/codecs/decode_gif.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/image/codecs/decode_png.h"
#include "systolic/image/codecs/decode_webp.h"

namespace systolic::inline v0 {
namespace image {

Literal decode_image(std::string_view bytes, const DecodeOptions& options,
                     SourceLocation location) {
  check_channels("decode_image", options.channels);
  const int channels = options.channels;
  switch (format_of(bytes)) {
    case Format::jpeg: {
      const int decoded = channels == 4 ? 3 : channels;
      const Literal picture =
          decode_jpeg(bytes, {.channels = decoded, .max_pixels = options.max_pixels}, location);
      return channels == 0 ? picture : with_channels(picture, channels);
    }
    case Format::png:
      return decode_png(bytes, {.channels = channels, .max_pixels = options.max_pixels}, location);
    case Format::gif:
      return decode_gif(bytes, options, location);
    case Format::bmp:
      return decode_bmp(bytes, options, location);
    case Format::webp:
      return decode_webp(bytes, options, location);
    case Format::unknown:
      break;
  }
  NoPicture other = what_else(bytes);
  raise<InvalidArgument>({.what = str("decode_image: the bytes are ", other.is),
                          .wanted = "a JPEG, PNG, GIF, BMP or WebP image",
                          .hint = std::move(other.remedy),
                          .location = location});
}

}  // namespace image
}  // namespace systolic::inline v0
