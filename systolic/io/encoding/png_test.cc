// Pictures that any reader of PNG reads.
#include "systolic/io/encoding/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "systolic/base/error.h"

namespace systolic {
namespace {

uint32_t big_endian(const std::string& bytes, size_t at) {
  uint32_t number = 0;
  for (size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

TEST(Png, HoldsWhatItIsGiven) {
  const std::vector<uint8_t> pixels{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const std::string png = io::encode_png(pixels, 2, 2, 3);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string kinds, packed;
  for (size_t at = 8; at < png.size();) {
    const uint32_t size = big_endian(png, at);
    const std::string kind = png.substr(at + 4, 4), data = png.substr(at + 8, size);
    const std::string checked = kind + data;
    EXPECT_EQ(big_endian(png, at + 8 + size),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                    static_cast<uInt>(checked.size())));
    kinds += kind + " ";
    if (kind == "IHDR") {
      EXPECT_EQ(data, std::string("\0\0\0\2\0\0\0\2\x08\x02\0\0\0", 13));
    }
    if (kind == "IDAT") packed = data;
    at += 12 + size;
  }
  EXPECT_EQ(kinds, "IHDR IDAT IEND ");
  std::string rows(14, 'x');
  uLongf size = rows.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  EXPECT_EQ(rows, std::string("\0\1\2\3\4\5\6\0\7\10\11\12\13\14", 14));
}

TEST(Png, RefusesSizesThatDoNotFit) {
  const std::vector<uint8_t> pixels(12);
  EXPECT_THROW(io::encode_png(pixels, 2, 2, 5), InvalidArgument);
  EXPECT_THROW(io::encode_png(pixels, 2, 3, 3), InvalidArgument);
  EXPECT_THROW(io::encode_png({}, 0, 2, 3), InvalidArgument);
}

}  // namespace
}  // namespace systolic
