#include "systolic/image/codecs/decode_gif.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/codecs/byte_reader.h"
#include "systolic/image/codecs/format.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {
namespace {

constexpr uint32_t most_codes = 4096;
// A code is at least 3 bits, and stands for at most 4096 pixels: a size beyond that is false.
constexpr uint64_t most_expansion = most_codes * 8 / 3;

[[noreturn]] void damaged(std::string_view what) {
  raise<DataLoss>({.what = str("a GIF image is damaged: ", what), .hint = remedy_of_damage});
}

// The parts of a picture's data: a length, that many bytes, and so on until a length of 0.
std::string read_blocks(ByteReader& reader) {
  std::string result;
  while (const uint32_t size = reader.number(1)) result += reader.take(size);
  return result;
}

// Codes of growing width, the lowest bits first.
class Codes {
 public:
  explicit Codes(std::string_view bytes) : bytes_(bytes) {}
  uint32_t next(uint32_t width) {
    while (count_ < width) {
      if (position_ == bytes_.size()) damaged("it ends before its last pixel");
      bits_ |= static_cast<uint32_t>(static_cast<uint8_t>(bytes_[position_++])) << count_;
      count_ += 8;
    }
    const uint32_t code = bits_ & ((1u << width) - 1);
    bits_ >>= width;
    count_ -= width;
    return code;
  }

 private:
  std::string_view bytes_;
  size_t position_ = 0;
  uint32_t bits_ = 0, count_ = 0;
};

// Lempel-Ziv-Welch: a code is a pixel, or an earlier code's string and a pixel after it.
class Strings {
 public:
  explicit Strings(uint32_t minimum_width) : clear_(1u << minimum_width) {
    for (uint32_t i = 0; i < clear_; ++i) suffix_[i] = static_cast<uint8_t>(i);
    reset();
  }
  uint32_t clear() const { return clear_; }
  uint32_t end() const { return clear_ + 1; }
  uint32_t width() const { return width_; }
  void reset() {
    size_ = clear_ + 2;
    width_ = 1;
    while (1u << width_ <= clear_ + 1) ++width_;
    previous_ = none;
  }
  // Appends the code's pixels to `pixels`, and enters the string that becomes known.
  void follow(uint32_t code, std::vector<uint8_t>& pixels) {
    if (code > size_ || (code == size_ && previous_ == none) || code == clear_ + 1) {
      damaged("a code that is not known yet");
    }
    const size_t begin = pixels.size();
    for (uint32_t at = code == size_ ? previous_ : code;; at = prefix_[at]) {
      pixels.push_back(suffix_[at]);
      if (at < clear_) break;
    }
    std::reverse(pixels.begin() + static_cast<int64_t>(begin), pixels.end());
    const uint8_t first = pixels[begin];
    if (code == size_) pixels.push_back(first);
    if (previous_ != none && size_ < most_codes) {
      prefix_[size_] = static_cast<uint16_t>(previous_);
      suffix_[size_] = first;
      if (++size_ == 1u << width_ && width_ < 12) ++width_;
    }
    previous_ = code;
  }

 private:
  uint32_t clear_, size_ = 0, width_ = 0;
  static constexpr uint32_t none = most_codes;
  uint32_t previous_ = none;
  std::array<uint16_t, most_codes> prefix_{};
  std::array<uint8_t, most_codes> suffix_{};
};

std::vector<uint8_t> decompress(std::string_view bytes, uint32_t minimum_width, uint64_t count) {
  if (minimum_width < 1 || minimum_width > 8) damaged("codes of a width that GIF lacks");
  Codes codes(bytes);
  Strings strings(minimum_width);
  std::vector<uint8_t> pixels;
  while (pixels.size() < count) {
    const uint32_t code = codes.next(strings.width());
    if (code == strings.end()) damaged("it ends before its last pixel");
    if (code == strings.clear()) {
      strings.reset();
    } else {
      strings.follow(code, pixels);
    }
  }
  return pixels;
}

struct Frame {
  int64_t left = 0, top = 0, width = 0, height = 0;
  bool interlaced = false;
  std::string palette;  // three bytes a colour
  std::vector<uint8_t> pixels;
};

std::string read_palette(ByteReader& reader, uint32_t flags) {
  return std::string(reader.take(uint64_t{3} << ((flags & 7) + 1)));
}

// The transparent colour of a graphic control extension, if it names one.
std::optional<uint8_t> read_extension(ByteReader& reader) {
  const bool is_control = reader.number(1) == 0xf9;
  const std::string data = read_blocks(reader);
  if (!is_control || data.size() < 4 || (data[0] & 1) == 0) return std::nullopt;
  return static_cast<uint8_t>(data[3]);
}

Frame read_frame(ByteReader& reader, std::string palette, int64_t max_pixels) {
  Frame frame;
  frame.left = reader.number(2);
  frame.top = reader.number(2);
  frame.width = reader.number(2);
  frame.height = reader.number(2);
  check_size("GIF", frame.height, frame.width, max_pixels);
  const uint32_t flags = reader.number(1);
  frame.interlaced = (flags & 0x40) != 0;
  frame.palette = (flags & 0x80) != 0 ? read_palette(reader, flags) : std::move(palette);
  if (frame.palette.empty()) damaged("nothing says what its colours are");
  const uint32_t minimum_width = reader.number(1);
  const std::string bytes = read_blocks(reader);
  const auto count = static_cast<uint64_t>(frame.width * frame.height);
  if (count / most_expansion > bytes.size()) damaged("it ends before its last pixel");
  frame.pixels = decompress(bytes, minimum_width, count);
  return frame;
}

// The order in which an interlaced picture's rows come.
std::vector<int64_t> row_order(const Frame& frame) {
  std::vector<int64_t> rows;
  constexpr std::array<std::pair<int64_t, int64_t>, 4> passes{{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
  for (const auto& [first, step] : passes) {
    for (int64_t y = frame.interlaced ? first : 0; y < frame.height;
         y += frame.interlaced ? step : 1) {
      rows.push_back(y);
    }
    if (!frame.interlaced) break;
  }
  return rows;
}

// The frame on a canvas of zeros, RGBA.
void draw(const Frame& frame, std::optional<uint8_t> transparent, int64_t width, uint8_t* canvas) {
  const uint8_t* pixel = frame.pixels.data();
  for (const int64_t row : row_order(frame)) {
    for (int64_t x = 0; x < frame.width; ++x, ++pixel) {
      uint8_t* to = canvas + 4 * ((row + frame.top) * width + x + frame.left);
      for (size_t c = 0; c < 3; ++c) {
        const size_t at = size_t{3} * *pixel + c;
        to[c] = at < frame.palette.size() ? static_cast<uint8_t>(frame.palette[at]) : uint8_t{0};
      }
      to[3] = transparent == *pixel ? 0 : 255;
    }
  }
}

}  // namespace

Literal decode_gif(std::string_view bytes, const DecodeOptions& options, SourceLocation location) {
  const ErrorScope scope("decode_gif", location);
  check_channels("decode_gif", options.channels);
  check_format(Format::gif, bytes);
  ByteReader reader("GIF", bytes);
  reader.take(6);
  int64_t width = reader.number(2), height = reader.number(2);
  const uint32_t flags = reader.number(1);
  reader.take(2);
  std::string palette;
  if ((flags & 0x80) != 0) palette = read_palette(reader, flags);
  std::optional<uint8_t> transparent;
  uint32_t block = reader.number(1);
  for (; block == 0x21; block = reader.number(1)) {
    if (const auto found = read_extension(reader)) transparent = found;
  }
  if (block != 0x2c) damaged("it has no picture");
  const Frame frame = read_frame(reader, std::move(palette), options.max_pixels);
  width = std::max(width, frame.left + frame.width);
  height = std::max(height, frame.top + frame.height);
  check_size("GIF", height, width, options.max_pixels);
  if (static_cast<uint64_t>(height * width) / most_expansion > bytes.size()) {
    damaged("its screen is larger than so few bytes fill");
  }
  Literal result = Literal::zeros(DType::u8, Shape{height, width, 4});
  draw(frame, transparent, width, result.mutable_data<uint8_t>().data());
  return with_channels(result, options.channels != 0 ? options.channels : 3);
}

}  // namespace image
}  // namespace systolic::inline v0
