// PNG images made by another program (Python's zlib and the filters of the specification's section
// 9, one filter a row in turn).
#include "systolic/io/png.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

struct Image {
  const char* what;
  std::string bytes;
  Shape shape;
  std::vector<uint8_t> pixels;
};

template <size_t n>
std::string bytes_of(const char (&text)[n]) {
  return std::string(text, n - 1);
}

std::vector<Image> images() {
  return {
      {"grey",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x03"
                "\x00\x00"
                "\x00\x06\x08\x00\x00\x00\x00\x23\x8e\x7b\xd0\x00\x00\x00\x09\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\xa8\x74\xda\xcb\xf8\x49\x39\xa3\x8b\x63\x00\x00\x00\x17\x49\x44\x41\x54\xff\x29"
                "\xd3\xbf"
                "\xe4\x42\xe6\x57\xb5\x0e\x2c\x99\xb1\x9a\x0c\xbe\xc7\xd9\x01\x78\xa4\x09\x0c\x08"
                "\x31\x8a"
                "\xac\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"),
       {6, 3, 1},
       {121, 66, 189, 242, 33, 6, 240, 132, 119, 98, 240, 243, 203, 77, 118, 77, 199, 7}},
      {"RGB",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02"
                "\x00\x00"
                "\x00\x06\x08\x02\x00\x00\x00\x66\x45\xd8\x65\x00\x00\x00\x33\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\x50\x08\x14\x9d\xc5\xdf\xc9\xf8\xe9\xd8\xad\x1b\xb2\x59\x4c\x27\xb3\x2d\xaa\xa5"
                "\xb4\x99"
                "\xd5\x8f\x4f\x2c\xbe\xae\xcf\xe2\x33\x5d\xc8\x5c\x72\x01\xc3\x72\xd3\x9c\x8e\x89"
                "\xf6\x00"
                "\x49\x14\x0f\x5d\x51\xf0\x78\x42\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82"),
       {6, 2, 3},
       {32,  81,  21,  154, 15,  137, 242, 198, 218, 202, 227, 68, 187, 49, 18,  69,  253, 111,
        132, 223, 154, 215, 197, 179, 208, 118, 172, 14,  143, 83, 167, 53, 108, 136, 145, 63}},
      {"grey and alpha",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02"
                "\x00\x00"
                "\x00\x05\x08\x04\x00\x00\x00\xc5\xba\xf5\x17\x00\x00\x00\x21\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\x50\xf8\xf6\x5d\x97\x71\x83\x92\x92\x36\x53\x54\x09\x47\x3b\xb3\xf9\xe9\x1e\x1f"
                "\x96\xdc"
                "\x8a\xf3\x81\x00\x6a\xd3\x08\xa0\xfe\x85\xce\x57\x00\x00\x00\x00\x49\x45\x4e\x44"
                "\xae\x42"
                "\x60\x82"),
       {5, 2, 2},
       {32, 246, 247, 45, 176, 34, 210, 77, 10, 150, 218, 212, 60, 22, 23, 193, 169, 142, 120, 18}},
      {"RGBA",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02"
                "\x00\x00"
                "\x00\x05\x08\x06\x00\x00\x00\x6f\xb3\x3d\x9c\x00\x00\x00\x36\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\x98\xc7\xac\x6e\x2e\x90\x7a\x61\x2a\x63\x9b\xbf\xe8\x5a\xa9\x4c\x43\x11\x26\xab"
                "\x39\x1b"
                "\xda\x5f\xa9\x18\xdf\x64\xae\xe7\xb7\x9c\x1c\xa8\x22\x9e\xce\xf2\xf0\x40\xf3\xdf"
                "\x97\x06"
                "\xd3\x5a\x00\x55\x17\x11\x0b\x70\xf3\xea\xdc\x00\x00\x00\x00\x49\x45\x4e\x44\xae"
                "\x42\x60"
                "\x82"),
       {5, 2, 4},
       {158, 3,   39,  55,  16,  101, 208, 149, 134, 79,  21,  173, 160, 184,
        70,  193, 192, 235, 197, 52,  138, 220, 121, 154, 223, 132, 155, 173,
        5,   212, 161, 10,  192, 68,  30,  170, 238, 180, 180, 142}},
      {"grey of 1 bit",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x05"
                "\x00\x00"
                "\x00\x03\x01\x00\x00\x00\x00\x73\x4d\xf8\x55\x00\x00\x00\x0e\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\xe8\x60\xfc\xc0\x74\x02\x00\x06\x4e\x02\x44\x95\x1f\x18\x0f\x00\x00\x00\x00\x49"
                "\x45\x4e"
                "\x44\xae\x42\x60\x82"),
       {3, 5, 1},
       {255, 0, 0, 0, 255, 255, 255, 255, 255, 0, 255, 0, 255, 255, 255}},
      {"grey of 2 bits",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x05"
                "\x00\x00"
                "\x00\x02\x02\x00\x00\x00\x00\xff\xb1\x51\x20\x00\x00\x00\x0e\x49\x44\x41\x54\x78"
                "\xda\x63"
                "\xd8\xe0\xc0\x38\xf3\x39\x00\x06\x92\x02\x72\xd7\xde\x1c\xf4\x00\x00\x00\x00\x49"
                "\x45\x4e"
                "\x44\xae\x42\x60\x82"),
       {2, 5, 1},
       {170, 255, 0, 0, 85, 170, 85, 170, 85, 170}},
      {"palette of 4 bits",
       bytes_of("\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x03"
                "\x00\x00"
                "\x00\x03\x04\x03\x00\x00\x00\xa4\x06\xa8\x8c\x00\x00\x00\x09\x50\x4c\x54\x45\xff"
                "\x00\x00"
                "\x00\x80\xff\x07\x08\x09\x11\x85\x77\xc1\x00\x00\x00\x11\x49\x44\x41\x54\x78\xda"
                "\x63\x60"
                "\x12\x60\x54\xba\xc7\xf4\x40\x00\x00\x06\x87\x02\x06\x18\xeb\x3e\xd8\x00\x00\x00"
                "\x00\x49"
                "\x45\x4e\x44\xae\x42\x60\x82"),
       {3, 3, 3},
       {255, 0,   0, 7, 8,   9, 0, 128, 255, 7, 8, 9,   7,  8,
        9,   255, 0, 0, 255, 0, 0, 7,   8,   9, 0, 128, 255}},
  };
}

TEST(Png, IsDecodedWhateverItsColoursAndFilters) {
  for (const Image& image : images()) {
    const Literal got = io::decode_png(image.bytes);
    EXPECT_EQ(got, Literal::from(image.pixels, image.shape)) << image.what;
  }
}

TEST(Png, ChannelsAreConverted) {
  const std::vector<Image> all = images();
  const Literal grey = io::decode_png(all[0].bytes), rgb = io::decode_png(all[1].bytes);
  const Literal from_grey = io::decode_png(all[0].bytes, 4),
                with_alpha = io::decode_png(all[1].bytes, 4);
  for (int64_t i = 0; i < grey.size(); ++i) {
    for (int64_t k = 0; k < 3; ++k) EXPECT_EQ(from_grey.integer_at(4 * i + k), grey.integer_at(i));
    EXPECT_EQ(from_grey.integer_at(4 * i + 3), 255);
  }
  const Literal luminance = io::decode_png(all[1].bytes, 1);
  for (int64_t i = 0; i < luminance.size(); ++i) {
    const double wanted = 0.299 * rgb.number_at(3 * i) + 0.587 * rgb.number_at(3 * i + 1) +
                          0.114 * rgb.number_at(3 * i + 2);
    EXPECT_NEAR(luminance.number_at(i), wanted, 0.5001) << i;
    for (int64_t k = 0; k < 3; ++k)
      EXPECT_EQ(with_alpha.integer_at(4 * i + k), rgb.integer_at(3 * i + k));
  }
  EXPECT_EQ(io::decode_png(all[3].bytes, 3).shape(), (Shape{5, 2, 3}));
  EXPECT_THROW(io::decode_png(all[0].bytes, 5), InvalidArgument);
}

// Cut off anywhere, or with any byte changed: an error or an image, nothing else.
TEST(Png, DamageIsAnError) {
  for (const Image& image : images()) {
    for (size_t size = 0; size < image.bytes.size(); ++size)
      EXPECT_THROW(io::decode_png(std::string_view(image.bytes).substr(0, size)), Error) << size;
    for (size_t at = 0; at < image.bytes.size(); ++at) {
      std::string changed = image.bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x55);
      EXPECT_THROW(io::decode_png(changed), Error) << image.what << ", byte " << at;
    }
  }
}

TEST(Png, WhatItIsNotIsSaid) {
  EXPECT_NE(
      message_of<InvalidArgument>([] { io::decode_png("\xff\xd8\xff\xe0 and more"); }).find("JPEG"),
      std::string::npos);
}

}  // namespace
}  // namespace systolic
