#include "systolic/image/decode_and_resize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/decode_image.h"
#include "systolic/image/encode_jpeg.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Waves, smooth enough for every way of resizing to agree.
Literal waves(int64_t height, int64_t width) {
  Literal result(DType::u8, Shape{height, width, 3});
  uint8_t* to = result.mutable_data<uint8_t>().data();
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        *to++ = static_cast<uint8_t>(128 + 100 * std::sin(0.05 * static_cast<double>(x + c * y)));
      }
    }
  }
  return result;
}

TEST(EncodeJpeg, IsReadBack) {
  const Literal picture = waves(61, 83);
  for (const bool progressive : {false, true}) {
    for (const bool chroma : {false, true}) {
      const Literal back = decode_image(encode_jpeg(
          picture, {.quality = 97, .progressive = progressive, .chroma_downsampling = chroma}));
      EXPECT_LE(largest_difference(back, picture), chroma ? 12 : 6);
    }
  }
  EXPECT_LT(encode_jpeg(picture, {.quality = 20}).size(), encode_jpeg(picture).size() / 2);
  EXPECT_THROW(encode_jpeg(picture, {.quality = 0}), InvalidArgument);
  EXPECT_THROW(encode_jpeg(picture.convert(DType::f32)), InvalidArgument);
}

TEST(DecodeAndResize, IsItsThreeSteps) {
  const Normalization normalization{.mean = {0.485, 0.456, 0.406}, .std = {0.229, 0.224, 0.225}};
  for (const auto& entry : read_golden("decoding.json")) {
    const std::string file = from_base64(entry["file"].get<std::string>());
    for (const bool antialias : {false, true}) {
      const Literal expected =
          normalize(resize(decode_image(file, {.channels = 3}), 7, 9, {.antialias = antialias}),
                    normalization);
      const Literal got =
          decode_and_resize(file, 7, 9, {.antialias = antialias, .normalization = normalization});
      EXPECT_LE(largest_difference(got, expected), 4e-6) << entry["format"] << entry["name"];
    }
  }
}

TEST(DecodeAndResize, ScaledDecodingIsCloseToAntialias) {
  const std::string file = encode_jpeg(waves(200, 300));
  const Literal whole = decode_and_resize(file, 50, 60, {.antialias = true});
  const Literal scaled =
      decode_and_resize(file, 50, 60, {.scaled_decoding = true, .antialias = true});
  double squares = 0;
  for (int64_t i = 0; i < whole.size(); ++i) {
    squares += std::pow(whole.number_at(i) - scaled.number_at(i), 2);
  }
  const double psnr = -10 * std::log10(squares / static_cast<double>(whole.size()));
  EXPECT_GT(psnr, 35);
  EXPECT_FALSE(whole == scaled);
}

TEST(DecodeAndResize, Errors) {
  EXPECT_THROW(decode_and_resize("nothing", 2, 2), InvalidArgument);
  const std::string file = encode_jpeg(waves(8, 8));
  EXPECT_THROW(decode_and_resize(file, 0, 2), InvalidArgument);
  EXPECT_THROW(decode_and_resize(file, 2, 2, {.method = Resize::nearest}), InvalidArgument);
  EXPECT_THROW(decode_and_resize(file, 2, 2, {.normalization = {.mean = {1, 2}}}), InvalidArgument);
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
