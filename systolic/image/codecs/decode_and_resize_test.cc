#include "systolic/image/codecs/decode_and_resize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/codecs/encode_jpeg.h"
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

double root_mean_square_difference(const Literal& a, const Literal& b) {
  EXPECT_EQ(a.shape(), b.shape());
  double squares = 0;
  for (int64_t i = 0; i < a.size(); ++i) squares += std::pow(a.number_at(i) - b.number_at(i), 2);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

// Quality 100 divides by 1. Brightness and colour are rounded three times each, before and after
// the transform and in it, evenly: with the deviation sqrt(3 / 12) = 0.5. Blue, the worst, is
// brightness + 1.772 colour, rounded: sqrt(0.25 + 1.772^2 * 0.25 + 1 / 12) = 1.06.
// Halved colour is its mean of two, drawn as straight lines: half of the second derivative, up to
// 0.42 here, and at the borders half of a pixel's slope, 2.5 in 2 of 83 columns and 3.3 in 2 of 61
// rows. As root mean squares 0.3 and 0.71 of colour, 1.37 of blue: with the above 1.73.
TEST(EncodeJpeg, IsReadBack) {
  const Literal picture = waves(61, 83);
  for (const bool progressive : {false, true}) {
    for (const bool chroma : {false, true}) {
      const Literal back = decode_image(encode_jpeg(
          picture, {.quality = 100, .progressive = progressive, .chroma_downsampling = chroma}));
      EXPECT_LE(root_mean_square_difference(back, picture), chroma ? 1.73 : 1.06);
    }
  }
  EXPECT_LT(encode_jpeg(picture, {.quality = 20}).size(), encode_jpeg(picture).size() / 2);
  EXPECT_THROW(encode_jpeg(picture, {.quality = 0}), InvalidArgument);
  EXPECT_THROW(encode_jpeg(picture.convert(DType::f32)), InvalidArgument);
}

// The sums of pixels are the same; what follows is one product and sum, rounded once or each.
// Products are below 8, results below 4: 2^-22, and 2^-23 for each of the two.
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
      EXPECT_LE(largest_difference(got, expected), 0x1p-21) << entry["format"] << entry["name"];
      EXPECT_EQ(decode_and_resize(file, {.height = 7, .width = 9},
                                  {.antialias = antialias, .normalization = normalization}),
                got);
    }
  }
}

// One height and many widths: weights that are kept and weights that are new, in every order.
TEST(DecodeAndResize, ManySizesAreResizedAsOne) {
  for (int64_t i = 0; i < 20; ++i) {
    const std::string file = encode_jpeg(waves(17, 20 + i));
    const Literal expected = normalize(resize(decode_image(file), 7, 9), {});
    // The last product and sum may be rounded once or each, below 1: 2^-24 twice.
    EXPECT_LE(largest_difference(decode_and_resize(file, 7, 9), expected), 0x1p-23) << 20 + i;
  }
}

// Two coefficients of eight make a slope of s a pixel 2.28 s of its 2 s, an error of 0.28 s. The
// waves' slopes are up to 5 along the rows, and 5 c along the columns of channel c: 1.4 + 1.4 c.
// The filters' variances differ by less than 1.5, which takes half of that of the second
// derivatives, 0.25 + 0.25 c^2: at most 0.19 + 0.19 c^2. Together up to 1.6, 3.2 and 5.0 for the
// three channels, of waves: 1 / sqrt(2) of it, in the mean of squares 2.5; and 0.3 of
// rounding: 2.8.
TEST(DecodeAndResize, ScaledDecodingIsCloseToAntialias) {
  const std::string file = encode_jpeg(waves(200, 300));
  const Literal whole = decode_and_resize(file, 50, 60, {.antialias = true});
  const Literal scaled =
      decode_and_resize(file, 50, 60, {.scaled_decoding = true, .antialias = true});
  EXPECT_LE(255 * root_mean_square_difference(whole, scaled), 2.8);
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
