#include "systolic/image/decode_bmp.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/byte_reader.h"
#include "systolic/image/format.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {
namespace {

struct Header {
  uint64_t pixels_at = 0, palette_at = 0;
  int64_t width = 0, height = 0;
  bool from_the_top = false;
  int64_t bits = 0;
  uint32_t colours = 0;  // of the palette
};

[[noreturn]] void unknown(std::string what) {
  raise<Unimplemented>({.what = "a BMP image with " + std::move(what),
                        .wanted = "1, 4 or 8 bits with a palette, 24 or 32 bits, uncompressed"});
}

Header read_header(ByteReader& reader) {
  if (reader.number(2) != 0x4d42) raise<DataLoss>({.what = "the bytes are no BMP image"});
  reader.take(8);
  Header header;
  header.pixels_at = reader.number(4);
  const uint32_t size = reader.number(4);
  if (size < 40) unknown(str("a header of ", size, " bytes"));
  header.palette_at = 14 + uint64_t{size};
  header.width = static_cast<int32_t>(reader.number(4));
  const int64_t height = static_cast<int32_t>(reader.number(4));
  header.from_the_top = height < 0;
  header.height = std::abs(height);
  reader.take(2);
  header.bits = reader.number(2);
  const uint32_t compression = reader.number(4);
  reader.take(12);
  header.colours = reader.number(4);
  reader.take(4);
  const int64_t bits = header.bits;
  if (bits != 1 && bits != 4 && bits != 8 && bits != 24 && bits != 32) unknown(str(bits, " bits"));
  if (compression == 3 && bits == 32) {
    const std::array<uint32_t, 3> masks{reader.number(4), reader.number(4), reader.number(4)};
    if (masks != std::array<uint32_t, 3>{0xff0000, 0xff00, 0xff}) unknown("other masks than BGR");
  } else if (compression != 0) {
    unknown(str("compression ", compression));
  }
  if (bits <= 8 && (header.colours == 0 || header.colours > 1u << bits))
    header.colours = 1u << bits;
  return header;
}

using Colour = std::array<uint8_t, 3>;

std::vector<Colour> read_palette(ByteReader& reader, const Header& header) {
  std::vector<Colour> palette(256);  // numbers beyond it are black
  reader.go_to(header.palette_at);
  const std::string_view bytes = reader.take(4 * uint64_t{header.colours});
  for (size_t i = 0; i < header.colours; ++i) {
    for (size_t c = 0; c < 3; ++c) palette[i][c] = static_cast<uint8_t>(bytes[4 * i + 2 - c]);
  }
  return palette;
}

void read_row(std::string_view row, const Header& header, const std::vector<Colour>& palette,
              uint8_t* to) {
  const auto bits = static_cast<size_t>(header.bits);
  for (size_t x = 0; x < static_cast<size_t>(header.width); ++x) {
    if (bits <= 8) {
      const size_t bit = x * bits;
      const unsigned int shift = static_cast<unsigned int>(8 - bits - bit % 8);
      const unsigned int index = static_cast<uint8_t>(row[bit / 8]) >> shift & ((1u << bits) - 1);
      to = std::copy_n(palette[index].begin(), 3, to);
      continue;
    }
    const size_t at = x * bits / 8;
    for (size_t c = 0; c < 3; ++c) *to++ = static_cast<uint8_t>(row[at + 2 - c]);
    if (bits == 32) *to++ = static_cast<uint8_t>(row[at + 3]);
  }
}

}  // namespace

Literal decode_bmp(std::string_view bytes, const DecodeOptions& options, SourceLocation location) {
  const ErrorScope scope("decode_bmp", location);
  check_channels("decode_bmp", options.channels);
  check_format(Format::bmp, bytes);
  ByteReader reader("BMP", bytes);
  const Header header = read_header(reader);
  check_size("BMP", header.height, header.width, options.max_pixels);
  std::vector<Colour> palette;
  if (header.bits <= 8) palette = read_palette(reader, header);
  const int64_t stride = (header.width * header.bits + 31) / 32 * 4;
  reader.go_to(header.pixels_at);
  const std::string_view pixels = reader.take(static_cast<uint64_t>(header.height * stride));
  const int64_t channels = header.bits == 32 ? 4 : 3;
  Literal result(DType::u8, Shape{header.height, header.width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < header.height; ++y, to += header.width * channels) {
    const int64_t row = header.from_the_top ? y : header.height - 1 - y;
    read_row(pixels.substr(static_cast<size_t>(row * stride), static_cast<size_t>(stride)), header,
             palette, to);
  }
  return options.channels == 0 ? result : with_channels(result, options.channels);
}

}  // namespace image
}  // namespace systolic::inline v0
