// What ops::image does where nothing is said: Keras 3.15's defaults (keras.ops.image).
#include <gtest/gtest.h>

#include "systolic/ops/image.h"
#include "systolic/ops/patches.h"

namespace systolic {
namespace {

TEST(ImageOptions, AreKerasWhereNothingIsSaid) {
  EXPECT_EQ(ops::image::Edge(ops::image::TransformOptions{}.fill_mode), "constant");
  EXPECT_EQ(ops::image::Between(ops::image::TransformOptions{}.interpolation), "bilinear");
  EXPECT_EQ(ops::image::PerspectiveOptions{}.fill_value, 0.0);
  EXPECT_EQ(ops::image::ElasticOptions{}.alpha, 20.0);
  EXPECT_EQ(ops::image::ElasticOptions{}.fill_mode, "reflect");
  EXPECT_EQ(ops::image::GaussianBlurOptions{}.sigma, (std::pair{1.0, 1.0}));
  EXPECT_EQ(ops::image::SsimOptions{}.filter_size, 11);
  EXPECT_EQ(ops::image::ResizeOptions{}.interpolation, "bilinear");
  EXPECT_TRUE(ops::image::ScaleOptions{}.antialias);
  EXPECT_EQ(ops::image::CropOptions{}.target_height, std::nullopt);
  EXPECT_EQ(ops::image::PadOptions{}.target_height, std::nullopt);
  const ops::image::MapCoordinatesOptions nearest{.order = 0};
  EXPECT_EQ(nearest.fill_mode, "constant");
  const ops::image::Patch3DOptions patches{.size = 2};
  EXPECT_EQ(patches.padding, "valid");
}

}  // namespace
}  // namespace systolic
