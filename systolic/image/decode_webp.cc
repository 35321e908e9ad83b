#include "systolic/image/decode_webp.h"

#include <webp/decode.h>

#include "systolic/base/error.h"
#include "systolic/image/format.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {

Literal decode_webp(std::string_view bytes, const DecodeOptions& options, SourceLocation location) {
  const ErrorScope scope("decode_webp", location);
  check_channels("decode_webp", options.channels);
  check_format(Format::webp, bytes);
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(data, bytes.size(), &features) != VP8_STATUS_OK) {
    raise<DataLoss>({.what = "the bytes are no WebP image, or a damaged one"});
  }
  check_size("WebP", features.height, features.width, options.max_pixels);
  if (features.has_animation != 0) {
    raise<Unimplemented>({.what = "an animated WebP image", .wanted = "one picture"});
  }
  const bool alpha = options.channels == 0 ? features.has_alpha != 0 : options.channels == 4;
  const int channels = alpha ? 4 : 3;
  Literal result(DType::u8, Shape{features.height, features.width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  const int stride = features.width * channels;
  const uint8_t* done = alpha
                            ? WebPDecodeRGBAInto(data, bytes.size(), to, result.byte_size(), stride)
                            : WebPDecodeRGBInto(data, bytes.size(), to, result.byte_size(), stride);
  if (done == nullptr) raise<DataLoss>({.what = "a WebP image is damaged or ends too early"});
  return options.channels == 0 ? result : with_channels(result, options.channels);
}

}  // namespace image
}  // namespace systolic::inline v0
