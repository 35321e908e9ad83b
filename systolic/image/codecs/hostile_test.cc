// Damaged and hostile files: every decoder gives a picture or a systolic::Error, and allocates no
// more than the file can fill.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/image/codecs/decode_bmp.h"
#include "systolic/image/codecs/decode_gif.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/codecs/decode_jpeg.h"
#include "systolic/image/codecs/decode_png.h"
#include "systolic/image/codecs/decode_webp.h"
#include "systolic/image/convert.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// A picture's shape, or the error's kind.
std::string outcome(const std::function<Literal()>& decode) {
  try {
    return to_string(decode().shape());
  } catch (const Error& error) {
    return error.kind();
  }
}

Literal decode(const std::string& format, std::string_view file) {
  // Far less than the flipped sizes of headers: what is tested here is the way out, not memory.
  constexpr int64_t pixels = 1 << 16;
  if (format == "jpeg") return decode_jpeg(file, {.max_pixels = pixels});
  if (format == "png") return decode_png(file, {.max_pixels = pixels});
  if (format == "bmp") return decode_bmp(file, {.max_pixels = pixels});
  if (format == "gif") return decode_gif(file, {.max_pixels = pixels});
  return decode_webp(file, {.max_pixels = pixels});
}

std::string golden_bytes(const std::string& format, const std::string& name) {
  for (const auto& entry : read_golden("decoding.json")) {
    if (entry["format"] == format && entry["name"] == name) {
      return from_base64(entry["file"].get<std::string>());
    }
  }
  ADD_FAILURE() << "no golden file " << format << " " << name;
  return {};
}

TEST(Hostile, EveryTruncationIsAPictureOrAnError) {
  for (const auto& entry : read_golden("decoding.json")) {
    const std::string format = entry["format"];
    const std::string file = from_base64(entry["file"].get<std::string>());
    const std::string whole = outcome([&] { return decode(format, file); });
    int errors = 0;
    for (size_t size = 0; size < file.size(); ++size) {
      const std::string got =
          outcome([&] { return decode(format, std::string(file.substr(0, size))); });
      errors += got == "DataLoss" || got == "InvalidArgument" ? 1 : 0;
      EXPECT_TRUE(got == whole || got == "DataLoss" || got == "InvalidArgument")
          << format << " " << entry["name"] << " of " << size << " bytes: " << got;
    }
    EXPECT_GT(errors, static_cast<int>(file.size()) / 2) << format << " " << entry["name"];
  }
}

TEST(Hostile, EveryFlippedByteIsAPictureOrAnError) {
  for (const auto& entry : read_golden("decoding.json")) {
    const std::string format = entry["format"];
    const std::string file = from_base64(entry["file"].get<std::string>());
    for (size_t at = 0; at < file.size(); ++at) {
      for (const unsigned char mask : {0x01, 0x80, 0xff}) {
        std::string damaged = file;
        damaged[at] = static_cast<char>(damaged[at] ^ mask);
        outcome([&] { return decode(format, damaged); });  // returns: no crash, no exit, no hang
      }
    }
  }
}

TEST(Hostile, WhatIsNoImage) {
  for (const std::string bytes :
       {"", "\xff\xd8", "GIF89a", "\x89PNG\r\n\x1a\n", "hello world, hello"}) {
    EXPECT_EQ(outcome([&] { return decode_jpeg(bytes); }), "DataLoss") << bytes;
    EXPECT_EQ(outcome([&] { return decode_png(bytes); }), "DataLoss") << bytes;
    EXPECT_EQ(outcome([&] { return decode_gif(bytes); }), "DataLoss") << bytes;
    EXPECT_EQ(outcome([&] { return decode_bmp(bytes); }), "DataLoss") << bytes;
    EXPECT_EQ(outcome([&] { return decode_webp(bytes); }), "DataLoss") << bytes;
    const std::string any = outcome([&] { return decode_image(bytes); });
    EXPECT_EQ(any, format_of(bytes) == Format::unknown ? "InvalidArgument" : "DataLoss") << bytes;
  }
}

TEST(Hostile, AnotherFormatIsNamed) {
  const std::string png = "\x89PNG\r\n\x1a\n", jpeg = "\xff\xd8\xff\xe0";
  EXPECT_CONTAINS(
      error_of([&] { decode_jpeg(png); }),
      "DataLoss: decode_jpeg: the bytes are a PNG image, expected a JPEG image.\n  hint: "
      "decode_image");
  EXPECT_CONTAINS(error_of([] { decode_jpeg("GIF89a"); }), "the bytes are a GIF image");
  EXPECT_CONTAINS(error_of([&] { decode_png(jpeg); }), "a JPEG image, expected a PNG image");
  EXPECT_CONTAINS(error_of([&] { decode_gif(png); }), "expected a GIF image");
  EXPECT_CONTAINS(error_of([&] { decode_bmp(jpeg); }), "expected a BMP image");
  EXPECT_CONTAINS(error_of([&] { decode_webp(jpeg); }), "expected a WebP image");
}

TEST(Hostile, WhatIsNoPictureIsNamedWithARemedy) {
  using namespace std::string_view_literals;
  struct Case {
    std::string_view bytes;
    std::string is, remedy;
  };
  const std::string zeros(500, '\0');
  for (const Case& c : {
           Case{"", "the bytes are empty", "fetch it again"},
           Case{"<html>404</html>\nmore", "the text '<html>404</html>…'", "fetch it again"},
           Case{"gr\xc3\xbc\xc3\x9f", "the text 'gr???", "fetch it again"},
           Case{"version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer",
                "git lfs pull"},
           Case{"II*\0abc"sv, "a TIFF image", "convert it"},
           Case{"\0\0\0\x18"
                "ftypavif"sv,
                "an AVIF image", "convert it"},
           Case{"\0\0\0\x18"
                "ftypheic"sv,
                "a HEIC image", "convert it"},
           Case{"\x1f\x8b\x08", "compressed by gzip", "decompress"},
           Case{zeros, "unknown: they begin 00 00 00 00 00 00 00 00", "fetch it again"},
       }) {
    const std::string any = error_of([&] { decode_image(c.bytes); });
    EXPECT_CONTAINS(any, c.is);
    EXPECT_CONTAINS(any, c.remedy);
    EXPECT_CONTAINS(any, "expected a JPEG, PNG, GIF, BMP or WebP image");
    const std::string jpeg = error_of([&] { decode_jpeg(c.bytes); });
    EXPECT_CONTAINS(jpeg, c.is);
    EXPECT_CONTAINS(jpeg, "expected a JPEG image");
  }
}

// A colour number means nothing without a palette: black would be a guess.
TEST(Hostile, GifWithoutColours) {
  std::string gif = golden_bytes("gif", "beyond_the_screen");
  gif[10] = 0;        // no palette of its own
  gif.erase(13, 12);  // the palette
  EXPECT_CONTAINS(error_of([&] { decode_gif(gif); }), "nothing says what its colours are");
}

TEST(Hostile, BmpPixelsThatCannotBe) {
  std::string inside = golden_bytes("bmp", "rgb");
  inside[10] = 20;
  EXPECT_CONTAINS(error_of([&] { decode_bmp(inside); }),
                  "a BMP image's pixels begin at byte 20, expected after its header of 54 bytes");
  // A few runs are not a picture of 5 × 65543 pixels: what they skip is not allocated.
  std::string runs = golden_bytes("bmp", "runs_8");
  runs[20] = 1;
  EXPECT_CONTAINS(error_of([&] { decode_bmp(runs); }), "claims 5 × 65543 pixels");
  std::string gap = golden_bytes("bmp", "565");
  gap[54 + 1] = '\x50';  // red's mask, 0x5000
  EXPECT_EQ(outcome([&] { return decode_bmp(gap); }), "Unimplemented");
}

// Where the first start-of-frame marker is: then come two bytes of length, one of precision, and
// two each of height and width.
size_t jpeg_frame(const std::string& file) {
  size_t at = 2;
  while (static_cast<uint8_t>(file[at + 1]) < 0xc0 || static_cast<uint8_t>(file[at + 1]) > 0xc2) {
    at += 2 + static_cast<size_t>(static_cast<uint8_t>(file[at + 2]) << 8 |
                                  static_cast<uint8_t>(file[at + 3]));
  }
  return at;
}

void set_jpeg_size(std::string& file, int height, int width) {
  const size_t at = jpeg_frame(file);
  const char size[] = {static_cast<char>(height >> 8), static_cast<char>(height),
                       static_cast<char>(width >> 8), static_cast<char>(width)};
  file.replace(at + 5, 4, size, 4);
}

TEST(Hostile, SizesOfHeadersAreBounded) {
  std::string jpeg = golden_bytes("jpeg", "420");
  set_jpeg_size(jpeg, 65000, 65000);
  EXPECT_EQ(outcome([&] { return decode_jpeg(jpeg); }), "ResourceExhausted");
  EXPECT_EQ(outcome([&] { return decode_jpeg(jpeg, {.max_pixels = int64_t{1} << 33}); }),
            "DataLoss")
      << "a kilobyte holds no such picture";
  set_jpeg_size(jpeg, 65535, 65535);
  EXPECT_EQ(outcome([&] { return decode_jpeg(jpeg, {.max_pixels = int64_t{1} << 33}); }),
            "DataLoss");
  std::string png = golden_bytes("png", "rgb");
  png[16] = png[20] = 0x10;  // 2^28 more of both; the header's checksum is wrong, too
  EXPECT_EQ(outcome([&] { return decode_png(png); }), "DataLoss");
  const std::string small = golden_bytes("png", "rgb");
  EXPECT_EQ(outcome([&] { return decode_png(small, {.max_pixels = 98}); }), "ResourceExhausted");
  EXPECT_EQ(outcome([&] { return decode_png(small, {.max_pixels = 99}); }), "(9, 11, 3)");
}

// The screen of a GIF is independent of its frame: a frame of a few pixels must not claim memory
// that the file could not fill. A code of three bits is at most 4096 pixels.
TEST(Hostile, GifScreensAreBounded) {
  std::string gif = golden_bytes("gif", "small");
  const auto set_screen = [&](int side) {
    for (const size_t at : {6, 8}) {
      gif[at] = static_cast<char>(side & 0xff);
      gif[at + 1] = static_cast<char>(side >> 8);
    }
  };
  set_screen(8192);
  EXPECT_EQ(outcome([&] { return decode_gif(gif); }), "DataLoss");
  set_screen(1000);
  EXPECT_EQ(outcome([&] { return decode_gif(gif); }), "(1000, 1000, 3)") << gif.size();
}

TEST(Hostile, SamplesOfMoreThanEightBitsAreSaid) {
  for (const char bits : {12, 16}) {
    std::string jpeg = golden_bytes("jpeg", "420");
    jpeg[jpeg_frame(jpeg) + 4] = bits;
    EXPECT_CONTAINS(
        error_of([&] { decode_jpeg(jpeg); }),
        str("cannot be decoded: Unsupported JPEG data precision ", static_cast<int>(bits)));
  }
}

// A progressive file whose last scan is there ten thousand times: small, and slow without a limit.
TEST(Hostile, ScansAreBounded) {
  const std::string file = golden_bytes("jpeg", "progressive");
  const size_t scan = file.rfind("\xff\xda"), end = file.rfind("\xff\xd9");
  std::string bomb = file.substr(0, end);
  for (int i = 0; i < 10'000; ++i) bomb += file.substr(scan, end - scan);
  bomb += "\xff\xd9";
  EXPECT_EQ(outcome([&] { return decode_jpeg(bomb); }), "ResourceExhausted");
  EXPECT_EQ(outcome([&] { return decode_jpeg(bomb, {.max_scans = 20'000}); }), "(13, 18, 3)");
  EXPECT_EQ(outcome([&] { return decode_jpeg(file, {.max_scans = 3}); }), "ResourceExhausted");
}

TEST(Hostile, TruncatedJpegsGiveTheirFirstRowsWhereAskedFor) {
  const std::string file = golden_bytes("jpeg", "444");
  const std::string cut = file.substr(0, file.size() - 40);
  EXPECT_EQ(outcome([&] { return decode_jpeg(cut); }), "DataLoss");
  const Literal whole = decode_jpeg(file);
  const Literal part = decode_jpeg(cut, {.try_recover_truncated = true});
  ASSERT_EQ(part.shape(), whole.shape());
  EXPECT_EQ(part.rows(0, 8), whole.rows(0, 8));
  EXPECT_FALSE(part == whole);
}

// A picture from 0 to 255 would be white.
TEST(ToBytes, RefusesAnotherScale) {
  const Literal usual = Literal::from<float>({0, 0.5f, 1.01f}, {1, 1, 3});
  EXPECT_EQ(to_bytes(usual), Literal::from<uint8_t>({0, 127, 255}, {1, 1, 3}));
  EXPECT_CONTAINS(message_of<InvalidArgument>([] {
                    to_bytes(Literal::from<float>({0, 12, 200}, {1, 1, 3}));
                  }),
                  "a picture with the value 12, expected 0 to 1");
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
