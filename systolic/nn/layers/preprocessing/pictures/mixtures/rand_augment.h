// While training, makes `num_ops` changes to all pictures of a batch, each drawn from eleven
// (keras.layers.RandAugment; Cubuk, Zoph, Shlens, Le, "RandAugment: practical automated data
// augmentation with a reduced search space", 2020): shear, translation, rotation, brightness,
// colors, contrast, sharpness, posterization, solarization, and contrast stretched or equalized.
// How strong a change is, each picture draws for itself from `factor`.
//
//   RandAugment{.num_ops = 2, .factor = 0.3}
//
// image::rand_augment (image/augment/rand_augment.h) is torchvision's, on bytes of the host.
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandAugment {
  static constexpr int64_t channels = 3;
  ValueRange value_range = {0, 255};
  int64_t num_ops = 2;
  DrawnFactor factor = 0.5;
  Sampling interpolation = "bilinear";
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandAugment, value_range, num_ops, factor, interpolation, seed)
};

extern template Layer::Layer(RandAugment);

}  // namespace systolic::inline v0
