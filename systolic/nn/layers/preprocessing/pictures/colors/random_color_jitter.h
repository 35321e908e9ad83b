// While training, changes brightness, contrast, saturation and hue of each picture, as far as a
// factor of them is given (keras.layers.RandomColorJitter): as RandomBrightness, RandomContrast,
// RandomSaturation and RandomHue do, in this order.
//
//   RandomColorJitter{.brightness_factor = 0.1, .hue_factor = 0.05}
//
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomColorJitter {
  static constexpr int64_t channels = 3;
  ValueRange value_range = {0, 255};
  std::optional<DrawnFactor> brightness_factor = {};
  std::optional<DrawnFactor> contrast_factor = {};
  std::optional<DrawnFactor> saturation_factor = {};
  std::optional<DrawnFactor> hue_factor = {};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomColorJitter, value_range, brightness_factor, contrast_factor,
                         saturation_factor, hue_factor, seed)
};

extern template Layer::Layer(RandomColorJitter);

}  // namespace systolic::inline v0
