#include "systolic/image/codecs/decode_bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/codecs/bmp_run_lengths.h"
#include "systolic/image/codecs/byte_reader.h"
#include "systolic/image/codecs/format.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {
namespace {

enum Compression : uint32_t { none = 0, run_lengths_8 = 1, run_lengths_4 = 2, bit_fields = 3 };

// Which bits of a pixel's number are a channel.
struct Field {
  uint32_t lowest = 0, largest = 0;  // the place of its lowest bit; its largest value
  uint8_t of(uint32_t pixel) const {
    const uint64_t value = pixel >> lowest & largest;
    return static_cast<uint8_t>(largest == 255 ? value : value * 255 / largest);
  }
};

struct Header {
  uint64_t pixels_at = 0, palette_at = 0;
  int64_t width = 0, height = 0;
  bool from_the_top = false;
  int64_t bits = 0;
  uint32_t compression = none;
  uint32_t colours = 0, colour_bytes = 4;  // of the palette
  std::array<Field, 4> fields{};           // red, green, blue, alpha
};

[[noreturn]] void unknown(std::string what) {
  raise<Unimplemented>({.what = "a BMP image with " + std::move(what),
                        .wanted = "1, 4 or 8 bits with a palette, 16, 24 or 32 bits",
                        .hint = "save it again as PNG"});
}

Field field_of(uint32_t mask) {
  if (mask == 0) unknown("a channel of no bits");
  const auto lowest = static_cast<uint32_t>(std::countr_zero(mask));
  const uint32_t largest = mask >> lowest;
  if ((largest & (largest + 1)) != 0) unknown(str("a channel of the bits ", mask));
  return {lowest, largest};
}

// Where a header has masks, they come after it or are its last part.
void read_fields(ByteReader& reader, uint32_t header_bytes, Header& header) {
  std::array<uint32_t, 3> masks{0xff0000, 0xff00, 0xff};
  if (header.bits == 16) masks = {0x7c00, 0x3e0, 0x1f};
  uint32_t alpha = 0;
  if (header.compression == bit_fields) {
    for (uint32_t& mask : masks) mask = reader.number(4);
    if (header_bytes >= 56) alpha = reader.number(4);
    header.palette_at = std::max(header.palette_at, reader.position());
  }
  for (size_t c = 0; c < 3; ++c) header.fields[c] = field_of(masks[c]);
  // TensorFlow takes the bits that belong to no colour for alpha, whether the header says so or
  // not.
  if (alpha == 0) alpha = ~(masks[0] | masks[1] | masks[2]);
  if (header.bits == 32) header.fields[3] = field_of(alpha);
}

void check_kind(const Header& header) {
  const int64_t bits = header.bits;
  switch (header.compression) {
    case none:
      if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        unknown(str(bits, " bits"));
      return;
    case run_lengths_8:
    case run_lengths_4:
      if (bits == (header.compression == run_lengths_8 ? 8 : 4) && !header.from_the_top) return;
      break;
    case bit_fields:
      if (bits == 16 || bits == 32) return;
      break;
    default:
      break;
  }
  unknown(str("compression ", header.compression, " of ", bits, " bits"));
}

// OS/2's header of 12 bytes: two bytes a number, three a colour of the palette.
void read_core(ByteReader& reader, Header& header) {
  header.width = reader.number(2);
  header.height = reader.number(2);
  reader.take(2);
  header.bits = reader.number(2);
  header.colour_bytes = 3;
}

void read_info(ByteReader& reader, Header& header) {
  header.width = static_cast<int32_t>(reader.number(4));
  const int64_t height = static_cast<int32_t>(reader.number(4));
  header.from_the_top = height < 0;
  header.height = std::abs(height);
  reader.take(2);
  header.bits = reader.number(2);
  header.compression = reader.number(4);
  reader.take(12);
  header.colours = reader.number(4);
  reader.take(4);
}

Header read_header(ByteReader& reader) {
  reader.take(10);
  Header header;
  header.pixels_at = reader.number(4);
  const uint32_t size = reader.number(4);
  if (size != 12 && size < 40) unknown(str("a header of ", size, " bytes"));
  header.palette_at = 14 + uint64_t{size};
  size == 12 ? read_core(reader, header) : read_info(reader, header);
  check_kind(header);
  if (header.bits > 8) {
    read_fields(reader, size, header);
    header.colours = 0;
  } else if (header.colours == 0 || header.colours > 1u << header.bits) {
    header.colours = 1u << header.bits;
  }
  const uint64_t palette_end =
      header.palette_at + uint64_t{header.colours} * uint64_t{header.colour_bytes};
  if (header.pixels_at == 0) header.pixels_at = palette_end;
  if (header.pixels_at < header.palette_at) {
    raise<DataLoss>({.what = str("a BMP image's pixels begin at byte ", header.pixels_at),
                     .wanted = str("after its header of ", header.palette_at, " bytes"),
                     .hint = remedy_of_damage});
  }
  return header;
}

using Colour = std::array<uint8_t, 3>;

std::vector<Colour> read_palette(ByteReader& reader, const Header& header) {
  std::vector<Colour> palette(256);  // numbers beyond it are black
  reader.go_to(header.palette_at);
  const uint64_t room = (header.pixels_at - header.palette_at) / header.colour_bytes;
  const auto colours = static_cast<size_t>(std::min<uint64_t>(header.colours, room));
  const std::string_view bytes = reader.take(header.colour_bytes * uint64_t{colours});
  for (size_t i = 0; i < colours; ++i) {
    for (size_t c = 0; c < 3; ++c)
      palette[i][c] = static_cast<uint8_t>(bytes[header.colour_bytes * i + 2 - c]);
  }
  return palette;
}

void read_row(std::string_view row, const Header& header, const std::vector<Colour>& palette,
              uint8_t* to) {
  const auto bits = static_cast<size_t>(header.bits);
  const size_t bytes = bits / 8, channels = bits == 32 ? 4 : 3;
  for (size_t x = 0; x < static_cast<size_t>(header.width); ++x) {
    if (bits <= 8) {
      const size_t bit = x * bits;
      const unsigned int shift = static_cast<unsigned int>(8 - bits - bit % 8);
      const unsigned int index = static_cast<uint8_t>(row[bit / 8]) >> shift & ((1u << bits) - 1);
      to = std::copy_n(palette[index].begin(), 3, to);
      continue;
    }
    uint32_t pixel = 0;
    for (size_t i = 0; i < bytes; ++i)
      pixel |= uint32_t{static_cast<uint8_t>(row[x * bytes + i])} << 8 * i;
    for (size_t c = 0; c < channels; ++c) *to++ = header.fields[c].of(pixel);
  }
}

Literal read_rows(ByteReader& reader, const Header& header, const std::vector<Colour>& palette) {
  const int64_t stride = (header.width * header.bits + 31) / 32 * 4;
  const std::string_view pixels = reader.take(static_cast<uint64_t>(header.height * stride));
  const int64_t channels = header.bits == 32 ? 4 : 3;
  Literal result(DType::u8, Shape{header.height, header.width, channels});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < header.height; ++y, to += header.width * channels) {
    const int64_t row = header.from_the_top ? y : header.height - 1 - y;
    read_row(pixels.substr(static_cast<size_t>(row * stride), static_cast<size_t>(stride)), header,
             palette, to);
  }
  return result;
}

// A run-length encoded picture may skip what it likes: a size beyond its runs is false, and is not
// allocated.
Literal read_runs(ByteReader& reader, const Header& header, const std::vector<Colour>& palette,
                  size_t file_bytes) {
  constexpr uint64_t most_expansion = 128;  // two bytes are a run of 255
  if (static_cast<uint64_t>(header.height * header.width) / most_expansion > file_bytes) {
    raise<DataLoss>({.what = str("a BMP image of ", file_bytes, " bytes claims ", header.height,
                                 " × ", header.width, " pixels"),
                     .wanted = str("at most ", most_expansion, " pixels for a byte of run lengths"),
                     .hint = remedy_of_damage});
  }
  const std::vector<uint8_t> numbers =
      read_run_lengths(reader, header.bits, header.height, header.width);
  Literal result(DType::u8, Shape{header.height, header.width, 3});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = header.height - 1; y >= 0; --y) {
    for (int64_t x = 0; x < header.width; ++x)
      to = std::copy_n(palette[numbers[static_cast<size_t>(y * header.width + x)]].begin(), 3, to);
  }
  return result;
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
  reader.go_to(header.pixels_at);
  const bool in_runs = header.compression == run_lengths_8 || header.compression == run_lengths_4;
  const Literal result = in_runs ? read_runs(reader, header, palette, bytes.size())
                                 : read_rows(reader, header, palette);
  return options.channels == 0 ? result : with_channels(result, options.channels);
}

}  // namespace image
}  // namespace systolic::inline v0
