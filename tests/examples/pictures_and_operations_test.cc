// Pictures on the host, and keras.ops on the device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

// A grey picture [2, 3, 1] of 0 to 5.
Literal grey() { return Literal::from(std::vector<uint8_t>{0, 1, 2, 3, 4, 5}, Shape{2, 3, 1}); }

TEST(PictureExamples, BoxesAndSizes) {
  const image::Box middle{.top = 0, .left = 1, .height = 2, .width = 1};
  expect_numbers(numbers(image::crop(grey(), middle)), {1, 4});
  const image::Box place{.top = 0, .left = 1, .height = 2, .width = 4};
  expect_numbers(numbers(image::pad(grey(), place)), {0, 0, 1, 2, 0, 3, 4, 5});
  const image::Extent extent = image::extent_of("example", grey());
  EXPECT_EQ(extent.height, 2);
  EXPECT_EQ(extent.width, 3);
  EXPECT_EQ(extent.step(), 1);
  image::check_size("PNG", 2, 3, image::default_max_pixels);
  EXPECT_THROW(image::check_size("PNG", 1 << 20, 1 << 20, image::default_max_pixels),
               ResourceExhausted);
}

TEST(PictureExamples, ChannelsAndScales) {
  image::check_channels("decode_bmp", 3);
  EXPECT_THROW(image::check_channels("decode_bmp", 2), InvalidArgument);
  EXPECT_EQ(image::with_channels(grey(), 3).shape(), (Shape{2, 3, 3}));
  const image::ChannelScales scales =
      image::channel_scales({.scale = 0.5, .mean = {1}, .std = {2}}, 2);
  EXPECT_EQ(scales.scale, (std::vector<float>{0.25, 0.25}));
  EXPECT_EQ(scales.offset, (std::vector<float>{-0.5, -0.5}));
}

TEST(PictureExamples, OptionsOfDecodersAndEncoders) {
  const image::EncodeJpegOptions fine{.quality = 100, .chroma_downsampling = false};
  const std::string jpeg = image::encode_jpeg(Literal::filled(DType::u8, {16, 8, 3}, 200), fine);
  const image::DecodeJpegOptions half{.channels = 1, .ratio = 2};
  const Literal small = image::decode_jpeg(jpeg, half);
  EXPECT_EQ(small.shape(), (Shape{8, 4, 1}));
  for (const double pixel : numbers(small)) EXPECT_NEAR(pixel, 200, 1);

  const image::DecodeAndResizeOptions plain{.channels = 3};
  EXPECT_EQ(image::decode_and_resize(jpeg, 4, 4, plain).shape(), (Shape{4, 4, 3}));
  const image::DecodePngOptions wide{.channels = 3, .dtype = DType::u16};
  EXPECT_THROW(image::decode_png(jpeg, wide), DataLoss);
  const image::DecodeOptions grey_only{.channels = 1};
  EXPECT_THROW(image::decode_bmp(jpeg, grey_only), DataLoss);
}

TEST(PictureExamples, BytesThatAreNoPicture) {
  EXPECT_THROW(image::check_format(image::Format::jpeg, "not found"), DataLoss);
  const image::NoPicture what = image::what_else("not found");
  EXPECT_NE(what.is.find("not fou"), std::string::npos);
  EXPECT_NE(std::string(image::remedy_of_damage).find("fetch"), std::string::npos);
}

TEST(PictureExamples, MixedAndAugmented) {
  const Literal pictures = Literal::filled(DType::f32, {2, 2, 2, 1}, 0.5);
  const Literal labels = Literal::of<float>({{1, 0}, {0, 1}});
  const image::MixOptions even{.alpha = 1};
  const image::Mixed mixed = image::mixup(pictures, labels, /*seed=*/1, even);
  for (const double pixel : numbers(mixed.images)) EXPECT_EQ(pixel, 0.5);
  const image::RandAugmentOptions none{.num_ops = 0};
  EXPECT_EQ(image::rand_augment(grey(), 1, none), grey());
}

TEST(OperationExamples, FourierTransforms) {
  const ops::ComplexPair spectrum = ops::rfft(constant({1.f, 0.f, -1.f, 0.f}));
  expect_numbers(spectrum.real, {0, 2, 0});
  expect_numbers(spectrum.imag, {0, 0, 0});
}

TEST(OperationExamples, Determinants) {
  const ops::SignAndLog determinant = ops::slogdet(constant({{0.f, 2.f}, {3.f, 0.f}}));
  expect_numbers(determinant.sign, {-1});
  expect_numbers(determinant.logabsdet, {std::log(6.0)});
}

TEST(OperationExamples, ConvolutionPoolingAndNormalization) {
  const Tensor x = reshape(constant({1.f, 2.f, 4.f, 8.f}), {1, 4, 1});
  const ops::ConvOptions by_two{.strides = {2}, .padding = "valid"};
  expect_numbers(ops::conv(x, ones({2, 1, 1}), by_two), {3, 12});
  const ops::PoolingOptions pairs{.pool_size = {2}};
  expect_numbers(ops::max_pool(x, pairs), {2, 8});
  const ops::NormalizationOptions exact{.scale = constant({10.f}), .epsilon = 0};
  expect_numbers(
      ops::batch_normalization(constant({{3.f}}), constant({1.f}), constant({4.f}), exact), {10});
}

TEST(OperationExamples, PatchesOfPictures) {
  const Tensor x = reshape(range(16, DType::f32), {1, 4, 4, 1});
  const ops::image::PatchOptions quarters{.size = 2};
  const Tensor patches = ops::image::extract_patches(x, quarters);
  EXPECT_EQ(patches.shape(), (Shape{1, 2, 2, 4}));
  expect_numbers(patches[{0, 0, 0}], {0, 1, 4, 5});
  // Where nothing moves, a picture stays as it is.
  expect_numbers(ops::image::elastic_transform(x, {.alpha = 0, .sigma = 1}), numbers(x));
}

}  // namespace
}  // namespace systolic
