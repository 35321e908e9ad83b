// While training, a box of each batch at a drawn place, the same for all of its pictures
// (keras.layers.RandomCrop); in evaluation the middle. A picture that is not larger is resized,
// bilinear, from the part of it that has the ratio of the sides.
//
//   RandomCrop{.height = 224, .width = 224}
//
// [batch, height, width, channels] of numbers to [batch, .height, .width, channels]. (Keras returns
// the whole picture in evaluation.)
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomCrop {
  Required<int64_t> height;
  Required<int64_t> width;
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  Tensor in_evaluation(const Tensor& x) const;
  SYSTOLIC_PICTURE_LAYER(RandomCrop, height, width, seed)
};

extern template Layer::Layer(RandomCrop);

}  // namespace systolic::inline v0
