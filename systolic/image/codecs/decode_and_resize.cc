#include "systolic/image/codecs/decode_and_resize.h"

#include <memory>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/codecs/jpeg_reader.h"
#include "systolic/image/resize/resample.h"
#include "systolic/image/resize/taps.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// The weights of the latest sizes: a data set has few. Shared, because the next call may replace
// them.
std::shared_ptr<const Taps> taps_of(int64_t from, int64_t to, const ResizeOptions& options) {
  struct Kept {
    int64_t from = 0, to = 0;
    Resize method{};
    bool antialias = false;
    std::shared_ptr<const Taps> taps;
  };
  thread_local std::vector<Kept> kept(8);
  thread_local size_t next = 0;
  for (const Kept& entry : kept) {
    if (entry.from == from && entry.to == to && entry.method == options.method &&
        entry.antialias == options.antialias) {
      return entry.taps;
    }
  }
  Kept& entry = kept[next++ % kept.size()];
  entry = {from, to, options.method, options.antialias,
           std::make_shared<const Taps>(make_taps(from, to, options))};
  return entry.taps;
}

void check(int64_t height, int64_t width, const DecodeAndResizeOptions& options) {
  if (height < 1 || width < 1 || width > default_max_pixels / height) {
    raise<InvalidArgument>(
        {.what = str("a picture of ", height, " × ", width, " pixels"),
         .wanted = str("at least 1 × 1, at most ", default_max_pixels, " pixels")});
  }
  if (options.channels != 1 && options.channels != 3) {
    raise<InvalidArgument>({.what = str(options.channels, " channels"), .wanted = "1 or 3"});
  }
  if (options.method == Resize::nearest) {
    raise<InvalidArgument>(
        {.what = "nearest does not mix pixels", .hint = "decode_image, then resize"});
  }
}

}  // namespace

Literal decode_and_resize(std::string_view bytes, int64_t height, int64_t width,
                          const DecodeAndResizeOptions& options, SourceLocation location) {
  const ErrorScope scope("decode_and_resize", location);
  check(height, width, options);
  const ChannelScales scales = channel_scales(options.normalization, options.channels);
  Literal result(DType::f32, Shape{height, width, options.channels});
  float* to = result.mutable_data<float>().data();
  const auto resize_from = [&](const uint8_t* pixels, int64_t from_height, int64_t from_width) {
    const ResizeOptions resize{.method = options.method, .antialias = options.antialias};
    const auto rows = taps_of(from_height, height, resize);
    const auto columns = taps_of(from_width, width, resize);
    resample(pixels, {from_width, options.channels, height, width}, *rows, *columns,
             {scales.scale.data(), scales.offset.data()}, to);
  };
  if (format_of(bytes) != Format::jpeg) {
    const Literal picture =
        decode_image(bytes, {.channels = options.channels, .max_pixels = options.max_pixels});
    resize_from(picture.data<uint8_t>().data(), picture.shape()[0], picture.shape()[1]);
    return result;
  }
  const bool scaled = options.scaled_decoding;
  JpegReader reader(bytes, {.channels = options.channels,
                            .dct = options.dct,
                            .min_height = scaled ? (4 * height + 4) / 5 : 0,
                            .min_width = scaled ? (4 * width + 4) / 5 : 0,
                            .max_pixels = options.max_pixels});
  // Kept from picture to picture: the system would zero new memory each time.
  thread_local std::vector<uint8_t> pixels;
  const auto size = static_cast<size_t>(reader.height() * reader.width() * reader.channels());
  if (pixels.size() < size) pixels.resize(size);
  reader.read(pixels.data());
  resize_from(pixels.data(), reader.height(), reader.width());
  constexpr size_t most_kept_bytes = size_t{1} << 24;
  if (pixels.size() > most_kept_bytes) std::vector<uint8_t>().swap(pixels);
  return result;
}

}  // namespace image
}  // namespace systolic::inline v0
