#include "systolic/image/codecs/decode_webp.h"

#include <webp/decode.h>

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/image/codecs/byte_reader.h"
#include "systolic/image/codecs/format.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {

namespace {

WebPBitstreamFeatures features_of(std::string_view bytes) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), &features) !=
      VP8_STATUS_OK) {
    raise<DataLoss>(
        {.what = "the bytes are not a WebP image, or a damaged one", .hint = remedy_of_damage});
  }
  return features;
}

// One picture's chunks, within a file or without one.
Literal decode_still(std::string_view bytes, int64_t height, int64_t width, int channels) {
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  Literal result(DType::u8, Shape{height, width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  const int stride = static_cast<int>(width) * channels;
  const uint8_t* done = channels == 4
                            ? WebPDecodeRGBAInto(data, bytes.size(), to, result.byte_size(), stride)
                            : WebPDecodeRGBInto(data, bytes.size(), to, result.byte_size(), stride);
  if (done == nullptr) {
    raise<DataLoss>(
        {.what = "a WebP image is damaged or ends too early", .hint = remedy_of_damage});
  }
  return result;
}

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  std::string_view chunks;
};

// The WebP container's ANMF chunk: where the frame lies, and then the chunks of a picture.
Frame first_frame(std::string_view bytes) {
  ByteReader reader("WebP", bytes);
  reader.take(12);  // RIFF, its length, WEBP
  while (true) {
    const std::string_view kind = reader.take(4);
    const uint32_t size = reader.number(4);
    const uint64_t end = reader.position() + size;
    if (kind != "ANMF") {
      reader.go_to(end + size % 2);
      continue;
    }
    Frame frame;
    frame.left = 2 * int64_t{reader.number(3)};
    frame.top = 2 * int64_t{reader.number(3)};
    frame.width = int64_t{reader.number(3)} + 1;
    frame.height = int64_t{reader.number(3)} + 1;
    reader.take(4);  // how long it stays, and what becomes of it
    if (reader.position() > end) raise<DataLoss>({.what = "a WebP image's first frame is damaged"});
    frame.chunks = reader.take(end - reader.position());
    return frame;
  }
}

// Its first frame on the animation's canvas of transparent black.
Literal decode_animation(std::string_view bytes, const WebPBitstreamFeatures& canvas) {
  const Frame frame = first_frame(bytes);
  const WebPBitstreamFeatures features = features_of(frame.chunks);
  if (features.width != frame.width || features.height != frame.height ||
      frame.left + frame.width > canvas.width || frame.top + frame.height > canvas.height) {
    raise<DataLoss>({.what = str("a WebP image is damaged: its first frame, ", features.height,
                                 " × ", features.width, " at row ", frame.top, " and column ",
                                 frame.left, ", does not fit"),
                     .wanted = str(frame.height, " × ", frame.width, " within ", canvas.height,
                                   " × ", canvas.width)});
  }
  const Literal still = decode_still(frame.chunks, frame.height, frame.width, 4);
  Literal result = Literal::zeros(DType::u8, Shape{canvas.height, canvas.width, 4});
  const uint8_t* from = still.data<uint8_t>().data();
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < frame.height; ++y) {
    std::copy_n(from + 4 * y * frame.width, 4 * frame.width,
                to + 4 * ((frame.top + y) * canvas.width + frame.left));
  }
  return result;
}

}  // namespace

Literal decode_webp(std::string_view bytes, const DecodeOptions& options, SourceLocation location) {
  const ErrorScope scope("decode_webp", location);
  check_channels("decode_webp", options.channels);
  check_format(Format::webp, bytes);
  const WebPBitstreamFeatures features = features_of(bytes);
  check_size("WebP", features.height, features.width, options.max_pixels);
  const int own = features.has_alpha != 0 ? 4 : 3;
  const int channels = options.channels != 0 ? options.channels : own;
  const Literal picture =
      features.has_animation != 0
          ? decode_animation(bytes, features)
          : decode_still(bytes, features.height, features.width, channels == 4 ? 4 : 3);
  return with_channels(picture, channels);
}

}  // namespace image
}  // namespace systolic::inline v0
