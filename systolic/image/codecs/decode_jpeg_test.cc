#include "systolic/image/codecs/decode_jpeg.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
// After cstdio: it declares no FILE by itself.
#include <jpeglib.h>

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

// The same coefficients in arithmetic code, which Pillow and TensorFlow read and do not write.
std::string in_arithmetic_code(const std::string& jpeg) {
  jpeg_error_mgr errors;
  jpeg_decompress_struct from{};
  jpeg_compress_struct to{};
  from.err = to.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&from);
  jpeg_create_compress(&to);
  jpeg_mem_src(&from, reinterpret_cast<const unsigned char*>(jpeg.data()), jpeg.size());
  jpeg_read_header(&from, TRUE);
  jvirt_barray_ptr* coefficients = jpeg_read_coefficients(&from);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&to, &bytes, &size);
  jpeg_copy_critical_parameters(&from, &to);
  to.arith_code = TRUE;
  to.write_Adobe_marker = from.saw_Adobe_marker;
  jpeg_write_coefficients(&to, coefficients);
  jpeg_finish_compress(&to);
  std::string result(reinterpret_cast<const char*>(bytes), size);
  std::free(bytes);
  jpeg_destroy_compress(&to);
  jpeg_destroy_decompress(&from);
  return result;
}

TEST(DecodeJpeg, ArithmeticCodeIsTheSamePicture) {
  for (const std::string name : {"420", "422", "440", "411", "progressive", "grey", "ycck"}) {
    const std::string jpeg = file(name), arithmetic = in_arithmetic_code(jpeg);
    EXPECT_NE(arithmetic.find("\xff\xc9"), std::string::npos) << name;  // SOF9: it is that code
    EXPECT_EQ(decode_jpeg(arithmetic), decode_jpeg(jpeg)) << name;
  }
}

TEST(DecodeJpeg, WhatFollowsThePictureIsIgnored) {
  const std::string jpeg = file("420");
  const Literal picture = decode_jpeg(jpeg);
  EXPECT_EQ(decode_jpeg(jpeg + "not a picture"), picture);
  EXPECT_EQ(decode_jpeg(jpeg + file("grey")), picture);
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
