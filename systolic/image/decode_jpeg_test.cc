#include "systolic/image/decode_jpeg.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/image/test_golden.h"

namespace systolic::inline v0 {
namespace image {
namespace {

std::string file(const std::string& name) {
  for (const auto& entry : read_golden("decoding.json")) {
    if (entry["format"] == "jpeg" && entry["name"] == name) {
      return from_base64(entry["file"].get<std::string>());
    }
  }
  return {};
}

TEST(DecodeJpeg, ScalesToTheSmallestThatIsLargeEnough) {
  const std::string jpeg = file("420");  // 13 × 18
  struct Case {
    int64_t min_height, min_width;
    Shape shape;
  };
  for (const Case& c :
       {Case{1, 1, Shape{2, 3, 3}}, Case{2, 3, Shape{2, 3, 3}}, Case{3, 0, Shape{4, 5, 3}},
        Case{0, 6, Shape{7, 9, 3}}, Case{7, 9, Shape{7, 9, 3}}, Case{8, 1, Shape{13, 18, 3}},
        Case{100, 100, Shape{13, 18, 3}}}) {
    EXPECT_EQ(decode_jpeg(jpeg, {.min_height = c.min_height, .min_width = c.min_width}).shape(),
              c.shape)
        << c.min_height << " × " << c.min_width;
  }
}

TEST(DecodeJpeg, AScaledPictureIsTheMeanOfTheWholeOne) {
  const Literal whole = decode_jpeg(file("grey"));  // 16 × 9
  const Literal eighth = decode_jpeg(file("grey"), {.ratio = 8});
  double sum = 0;
  for (int64_t y = 0; y < 8; ++y) {
    for (int64_t x = 0; x < 8; ++x) {
      const uint8_t value = whole.at<uint8_t>({y, x, 0});
      EXPECT_TRUE(value > 0 && value < 255) << "a clamped value has another mean";
      sum += value;
    }
  }
  // Both come from one coefficient. The one pixel is rounded by at most 1/2, and so is each of the
  // 64, and with them their mean.
  EXPECT_NEAR(eighth.at<uint8_t>({0, 0, 0}), sum / 64, 1);
}

TEST(DecodeJpeg, WrongOptions) {
  const std::string jpeg = file("420");
  EXPECT_THROW(decode_jpeg(jpeg, {.channels = 2}), InvalidArgument);
  EXPECT_THROW(decode_jpeg(jpeg, {.ratio = 3}), InvalidArgument);
  EXPECT_THROW(decode_jpeg(jpeg, {.ratio = 2, .min_height = 3}), InvalidArgument);
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
