#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_jitter.h"

#include "systolic/nn/layers/preprocessing/pictures/colors/random_brightness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_contrast.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_hue.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_saturation.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomColorJitter::changed(const Tensor& x, PictureDraws& draws) const {
  Tensor y = x;
  const auto change = [&](const std::optional<DrawnFactor>& factor, auto layer) {
    if (!factor) return;
    layer.factor = *factor;
    layer.value_range = value_range;
    y = layer.changed(y, draws);
  };
  change(brightness_factor, RandomBrightness{.factor = 0});
  change(contrast_factor, RandomContrast{.factor = 0});
  change(saturation_factor, RandomSaturation{.factor = 0});
  change(hue_factor, RandomHue{.factor = 0});
  return y;
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomColorJitter)

}  // namespace systolic::inline v0
