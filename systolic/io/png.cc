#include "systolic/io/png.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/io/byte_source.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
// Deflate makes at most 1032 bytes of one: a size beyond that is a lie, and is not allocated.
constexpr uint64_t most_expansion = 1032;
// 16384 x 16384: far more than any data set holds.
constexpr int64_t most_pixels = int64_t{1} << 28;

[[noreturn]] void damaged(std::string_view what) {
  raise<DataLoss>({.what = str("a PNG image is damaged: ", what)});
}

uint32_t big_endian(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  return value;
}

struct Header {
  int64_t width = 0, height = 0;
  int depth = 0;   // bits a sample
  int colour = 0;  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  int samples() const { return colour == 2 ? 3 : colour == 4 ? 2 : colour == 6 ? 4 : 1; }
  int64_t row_bytes() const { return (width * samples() * depth + 7) / 8; }
};

Header read_header(std::string_view data) {
  if (data.size() != 13) damaged("its header is not 13 bytes");
  Header header{big_endian(data, 0), big_endian(data, 4), static_cast<uint8_t>(data[8]),
                static_cast<uint8_t>(data[9])};
  const bool depth_fits = header.depth == 8 || header.depth == 16 ||
                          ((header.colour == 0 || header.colour == 3) &&
                           (header.depth == 1 || header.depth == 2 || header.depth == 4));
  const bool colour_fits = header.colour == 0 || header.colour == 2 || header.colour == 3 ||
                           header.colour == 4 || header.colour == 6;
  if (header.width < 1 || header.height < 1 || header.width > INT32_MAX ||
      header.height > INT32_MAX || !depth_fits || !colour_fits || data[10] != 0 || data[11] != 0) {
    damaged("its header has sizes or types that PNG has not");
  }
  if (header.width > most_pixels / header.height) {
    raise<ResourceExhausted>(
        {.what = str("a PNG image of ", header.width, " x ", header.height, " pixels"),
         .wanted = str("at most ", most_pixels)});
  }
  if (header.depth == 16 || data[12] != 0) {
    raise<Unimplemented>(
        {.what = header.depth == 16 ? "a PNG image of 16 bits a sample" : "an interlaced PNG image",
         .hint = "write it anew with 8 bits a sample and without interlacing"});
  }
  return header;
}

// What the chunks of a file hold.
struct Chunks {
  Header header;
  std::string palette, compressed;
};

Chunks read_chunks(std::string_view bytes) {
  if (bytes.substr(0, signature.size()) != signature) {
    const std::string_view kind = recognize(bytes.substr(0, 16));
    raise<InvalidArgument>({.what = "the bytes are no PNG image",
                            .got = kind.empty() ? std::string() : str("what looks like ", kind)});
  }
  Chunks chunks;
  bool begun = false;
  for (size_t at = signature.size();;) {
    if (bytes.size() - at < 12) damaged("it ends inside a chunk");
    const uint64_t length = big_endian(bytes, at);
    if (length > bytes.size() - at - 12) damaged("a chunk reaches beyond its end");
    const std::string_view type = bytes.substr(at + 4, 4), data = bytes.substr(at + 8, length);
    const auto* checked = reinterpret_cast<const Bytef*>(type.data());
    if (::crc32(0, checked, static_cast<uInt>(length + 4)) != big_endian(bytes, at + 8 + length))
      damaged("the checksum of a chunk");
    if (begun != (type != "IHDR")) damaged("its header is not its first chunk");
    begun = true;
    if (type == "IHDR") chunks.header = read_header(data);
    if (type == "PLTE") chunks.palette = data;
    if (type == "IDAT") chunks.compressed += data;
    if (type == "IEND") return chunks;
    at += 12 + length;
  }
}

std::string inflated(const Chunks& chunks) {
  constexpr size_t zlib_header = 2, zlib_trailer = 4;
  const std::string_view stream = chunks.compressed;
  if (stream.size() < zlib_header + zlib_trailer) damaged("it holds no pixels");
  const uint64_t row = static_cast<uint64_t>(chunks.header.row_bytes()) + 1;
  const auto rows = static_cast<uint64_t>(chunks.header.height);
  if (row > stream.size() * most_expansion / rows + 1)
    damaged("it holds fewer pixels than it says");
  const std::string_view deflated =
      stream.substr(zlib_header, stream.size() - zlib_header - zlib_trailer);
  std::string pixels = inflate_raw(deflated, row * rows, "PNG image");
  const auto sum = ::adler32_z(1, reinterpret_cast<const Bytef*>(pixels.data()), pixels.size());
  if (sum != big_endian(stream, stream.size() - zlib_trailer))
    damaged("the checksum of its pixels");
  return pixels;
}

int paeth(int left, int above, int corner) {
  const int guess = left + above - corner;
  const int to_left = std::abs(guess - left), to_above = std::abs(guess - above);
  const int to_corner = std::abs(guess - corner);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : corner;
}

// Undoes the filter of a row in place (section 9 of the specification). `above` is the row before,
// zeros for the first; `step` the bytes of a pixel.
void unfilter(int filter, std::vector<uint8_t>& row, const std::vector<uint8_t>& above,
              size_t step) {
  for (size_t i = 0; i < row.size(); ++i) {
    const int left = i < step ? 0 : row[i - step], corner = i < step ? 0 : above[i - step];
    const int add[] = {0, left, above[i], (left + above[i]) / 2, paeth(left, above[i], corner)};
    row[i] = static_cast<uint8_t>(row[i] + add[filter]);
  }
}

// Pixels as they are seen: 1 to 4 samples of 8 bits.
class Pixels {
 public:
  Pixels(const Header& header, const std::string& palette) : header_(header), palette_(palette) {
    if (header.colour == 3 && (palette.empty() || palette.size() % 3 != 0 || palette.size() > 768))
      damaged("its palette");
  }
  int channels() const { return header_.colour == 3 ? 3 : header_.samples(); }

  std::array<uint8_t, 4> at(const std::vector<uint8_t>& row, int64_t x) const {
    std::array<uint8_t, 4> pixel{};
    if (header_.depth == 8 && header_.colour != 3) {
      const auto count = static_cast<size_t>(header_.samples());
      std::copy_n(row.begin() + static_cast<std::ptrdiff_t>(count) * x, count, pixel.begin());
      return pixel;
    }
    const int64_t bit = x * header_.depth;
    const int most = (1 << header_.depth) - 1;
    const int value = row[static_cast<size_t>(bit / 8)] >> (8 - header_.depth - bit % 8) & most;
    if (header_.colour == 0) {
      pixel[0] = static_cast<uint8_t>(value * 255 / most);
      return pixel;
    }
    if (static_cast<size_t>(value) * 3 >= palette_.size()) damaged("a pixel beyond its palette");
    for (size_t k = 0; k < 3; ++k)
      pixel[k] = static_cast<uint8_t>(palette_[static_cast<size_t>(value) * 3 + k]);
    return pixel;
  }

 private:
  const Header& header_;
  const std::string& palette_;
};

// The samples of a pixel of `from` channels as `to` channels.
std::array<uint8_t, 4> converted(const std::array<uint8_t, 4>& pixel, int from, int to) {
  if (from == to) return pixel;
  const uint8_t alpha = from == 2 ? pixel[1] : from == 4 ? pixel[3] : 255;
  std::array<uint8_t, 4> result{};
  if (to >= 3) {
    for (size_t k = 0; k < 3; ++k) result[k] = from >= 3 ? pixel[k] : pixel[0];
    result[3] = alpha;
    return result;
  }
  const int luminance = (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000;
  return {from >= 3 ? static_cast<uint8_t>(luminance) : pixel[0], alpha};
}

}  // namespace

Literal decode_png(std::string_view bytes, int channels) {
  if (channels < 0 || channels > 4) {
    raise<InvalidArgument>({.what = str("decode_png with channels = ", channels),
                            .wanted = "0 (those of the file) to 4"});
  }
  const Chunks chunks = read_chunks(bytes);
  const Header& header = chunks.header;
  const std::string filtered = inflated(chunks);
  const Pixels pixels(header, chunks.palette);
  const int count = channels == 0 ? pixels.channels() : channels;
  const auto row_bytes = static_cast<size_t>(header.row_bytes());
  const auto step = static_cast<size_t>(std::max(1, header.samples() * header.depth / 8));
  Literal image(DType::u8, {header.height, header.width, count});
  auto out = image.mutable_data<uint8_t>().begin();
  std::vector<uint8_t> row(row_bytes), above(row_bytes, 0);
  for (int64_t y = 0; y < header.height; ++y) {
    const auto* from = reinterpret_cast<const uint8_t*>(filtered.data()) +
                       static_cast<size_t>(y) * (row_bytes + 1);
    if (*from > 4) damaged("a filter that PNG has not");
    std::copy_n(from + 1, row_bytes, row.begin());
    unfilter(*from, row, above, step);
    for (int64_t x = 0; x < header.width; ++x) {
      const auto pixel = converted(pixels.at(row, x), pixels.channels(), count);
      out = std::copy_n(pixel.begin(), count, out);
    }
    std::swap(row, above);
  }
  return image;
}

}  // namespace io
}  // namespace systolic::inline v0
