// While training, makes each picture gray with a probability (keras.layers.RandomGrayscale).
//
//   RandomGrayscale{.factor = 0.1}
//
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomGrayscale {
  double factor = 0.5;               // the probability
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  static constexpr int64_t channels = 3;
  SYSTOLIC_PICTURE_LAYER(RandomGrayscale, factor, seed)
};

extern template Layer::Layer(RandomGrayscale);

}  // namespace systolic::inline v0
