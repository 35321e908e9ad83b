#include "systolic/image/resize/resize.h"

#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {
namespace {

Literal counted(const Shape& shape) {
  Literal result(DType::f32, shape);
  float value = 0;
  for (float& x : result.mutable_data<float>()) x = std::fmod(value += 7.25f, 50.0f);
  return result;
}

TEST(Resize, ABatchIsItsPictures) {
  const Literal images = counted(Shape{3, 5, 6, 3});
  const Literal resized = resize(images, 7, 4);
  ASSERT_EQ(resized.shape(), (Shape{3, 7, 4, 3}));
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(resized.row(i), resize(images.row(i), 7, 4));
}

TEST(Resize, ASizeIsGivenByNameOrInOrder) {
  const Literal image = counted(Shape{5, 6, 3});
  const ResizeOptions options{.antialias = true};
  EXPECT_EQ(resize(image, {.height = 7, .width = 4}, options), resize(image, 7, 4, options));
  EXPECT_EQ(resize(image, Size{.height = 7, .width = 4}).shape(), (Shape{7, 4, 3}));
  EXPECT_THROW(resize(image, {.width = 4}), InvalidArgument);
}

// Every number of channels has loops of its own; a channel must not depend on its neighbours.
TEST(Resize, ChannelsAreIndependentInBothFormats) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 9}) {
    const Literal last = counted(Shape{9, 21, channels});
    const Literal resized = resize(last, 6, 17, {.antialias = true});
    for (int64_t c = 0; c < channels; ++c) {
      Literal one(DType::f32, Shape{1, 9, 21});
      for (int64_t i = 0; i < 9 * 21; ++i) {
        one.mutable_data<float>()[static_cast<size_t>(i)] =
            last.data<float>()[static_cast<size_t>(i * channels + c)];
      }
      const Literal alone =
          resize(one, 6, 17, {.antialias = true, .data_format = DataFormat::channels_first});
      ASSERT_EQ(alone.shape(), (Shape{1, 6, 17}));
      for (int64_t i = 0; i < 6 * 17; ++i) {
        EXPECT_NEAR(alone.number_at(i), resized.number_at(i * channels + c), 1e-4);
      }
    }
  }
}

TEST(Resize, AConstantStaysConstant) {
  const Literal flat = Literal::filled(DType::f32, Shape{5, 7, 3}, 3.5);
  for (const Resize method :
       {Resize::bilinear, Resize::bicubic, Resize::nearest, Resize::area, Resize::lanczos3,
        Resize::lanczos5, Resize::gaussian, Resize::mitchell_cubic}) {
    for (const int64_t size : {1, 2, 5, 16}) {
      const Literal resized = resize(flat, size, size + 1, {.method = method});
      for (const float x : resized.data<float>()) EXPECT_NEAR(x, 3.5, 2e-5);
    }
  }
}

TEST(Resize, Errors) {
  const Literal image = counted(Shape{4, 4, 3});
  EXPECT_THROW(resize(image, 0, 4), InvalidArgument);
  EXPECT_THROW(resize(image, int64_t{1} << 40, 4), InvalidArgument);
  EXPECT_THROW(resize(counted(Shape{4, 4}), 2, 2), InvalidArgument);
  EXPECT_THROW(resize(image.convert(DType::f64), 2, 2), InvalidArgument);
  EXPECT_THROW(resize(Literal(DType::f32, Shape{0, 4, 3}), 2, 2), InvalidArgument);
  EXPECT_THROW(resize(image, 2, 2, {.method = Resize::hamming}), InvalidArgument);
  EXPECT_THROW(resize(image, 2, 2, {.method = Resize::lanczos5, .convention = Convention::pillow}),
               InvalidArgument);
  EXPECT_THROW(
      resize(image, 2, 2, {.method = Resize::area, .convention = Convention::tensorflow_1}),
      InvalidArgument);
}

}  // namespace
}  // namespace image
}  // namespace systolic::inline v0
