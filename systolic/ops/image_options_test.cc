// What ops::image does where nothing is said: Keras 3.15's defaults (keras.ops.image).
#include <gtest/gtest.h>

#include "systolic/ops/image.h"
#include "systolic/ops/patches.h"

namespace systolic {
namespace {

TEST(ImageOptions, AreKerasWhereNothingIsSaid) {
  const ops::image::Edge beyond = ops::image::TransformOptions{}.fill_mode;
  const ops::image::Between between = ops::image::TransformOptions{}.interpolation;
  EXPECT_TRUE(beyond == "constant" && between == "bilinear");
  EXPECT_EQ(ops::image::PerspectiveOptions{}.fill_value, 0.0);
  EXPECT_EQ(ops::image::ElasticOptions{}.alpha, 20.0);
  EXPECT_TRUE(ops::image::ElasticOptions{}.fill_mode == "reflect");
  EXPECT_EQ(ops::image::GaussianBlurOptions{}.sigma, (std::pair{1.0, 1.0}));
  EXPECT_EQ(ops::image::SsimOptions{}.filter_size, 11);
  EXPECT_TRUE(ops::image::ResizeOptions{}.interpolation == "bilinear");
  EXPECT_TRUE(ops::image::ScaleOptions{}.antialias);
  EXPECT_EQ(ops::image::CropOptions{}.target_height, std::nullopt);
  EXPECT_EQ(ops::image::PadOptions{}.target_height, std::nullopt);
  const ops::image::MapCoordinatesOptions nearest{.order = 0};
  EXPECT_TRUE(nearest.fill_mode == "constant");
  const ops::image::Patch3DOptions patches{.size = 2};
  EXPECT_TRUE(patches.padding == "valid");
}

}  // namespace
}  // namespace systolic
