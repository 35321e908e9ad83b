#include "systolic/io/encoding/png.h"

#include <zlib.h>

#include <array>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr int64_t most_pixels_a_side = 65535;
// By the number of channels.
constexpr std::array<uint8_t, 5> color_types{0, 0, 4, 2, 6};

void append_big_endian(std::string& text, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift);
}

// Its length, its kind, the bytes, the checksum of kind and bytes.
void append_chunk(std::string& png, std::string_view kind, const std::string& bytes) {
  append_big_endian(png, static_cast<uint32_t>(bytes.size()));
  const std::string checked = std::string(kind) + bytes;
  png += checked;
  const auto* data = reinterpret_cast<const Bytef*>(checked.data());
  append_big_endian(png, static_cast<uint32_t>(crc32(0, data, static_cast<uInt>(checked.size()))));
}

std::string deflated_rows(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string compressed(size, '\0');
  const int code = compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                             reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6);
  ensure(code == Z_OK, "zlib compresses a picture");
  compressed.resize(size);
  return compressed;
}

}  // namespace

std::string encode_png(std::span<const uint8_t> pixels, int64_t height, int64_t width,
                       int64_t channels) {
  const auto fits = [](int64_t side) { return side >= 1 && side <= most_pixels_a_side; };
  const bool known = channels >= 1 && channels <= 4;
  if (!known || !fits(height) || !fits(width) ||
      static_cast<int64_t>(pixels.size()) != height * width * channels) {
    raise<InvalidArgument>({.what = str("a picture of ", height, " x ", width, " pixels with ",
                                        channels, " channels and ", pixels.size(), " bytes"),
                            .wanted = "1 to 4 channels, sides of 1 to 65535, and all bytes"});
  }
  std::string rows;
  const auto row_bytes = static_cast<size_t>(width * channels);
  for (size_t at = 0; at < pixels.size(); at += row_bytes) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(pixels.data()) + at, row_bytes);
  }
  std::string header;
  append_big_endian(header, static_cast<uint32_t>(width));
  append_big_endian(header, static_cast<uint32_t>(height));
  header += '\x08';  // bits a channel
  header += static_cast<char>(color_types[static_cast<size_t>(channels)]);
  header.append(3, '\0');  // deflate, no other filters, not interlaced
  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", deflated_rows(rows));
  append_chunk(png, "IEND", "");
  return png;
}

}  // namespace io
}  // namespace systolic::inline v0
