// While training, each picture and its label become a mixture with those of another one of the
// batch (keras.layers.MixUp; Zhang, Cisse, Dauphin, Lopez-Paz, "mixup: beyond empirical risk
// minimization", 2018). The shares are drawn from Beta(alpha, alpha).
//
//   MixUp{.alpha = 0.2}
//
// Inputs: pictures [batch, height, width, channels], or those and labels [batch, classes], such as
// one-hot rows; outputs of the same shapes. In evaluation they are returned as they are. It belongs
// in a pipeline, where the labels are:
//
//   const Layer mix = MixUp{};
//   train = train.batch(32).map([=](const Literal& x, const Literal& y) {
//     const std::vector<Tensor> mixed = mix.outputs({Tensor(x), Tensor(y)}, {.training = true});
//     return std::pair(mixed[0].literal(), mixed[1].literal());
//   });
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct MixUp {
  double alpha = 0.2;
  std::optional<int64_t> seed = {};  // instead of the model's

  SYSTOLIC_MIXING_LAYER(MixUp, alpha, seed)
};

extern template Layer::Layer(MixUp);

}  // namespace systolic::inline v0
