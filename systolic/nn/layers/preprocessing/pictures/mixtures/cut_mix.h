// While training, a box of another picture of the batch replaces that of each, and labels are mixed
// by its area (keras.layers.CutMix; Yun et al., "CutMix: regularization strategy to train strong
// classifiers with localizable features", 2019). The area's share is drawn from Beta(alpha, alpha),
// with alpha from `factor` for the whole batch.
//
//   CutMix{}
//
// Inputs: pictures [batch, height, width, channels], or those and labels [batch, classes], such as
// one-hot rows; outputs of the same shapes. In evaluation they are returned as they are. It belongs
// in a pipeline, where the labels are:
//
//   const Layer mix = CutMix{};
//   train = train.batch(32).map([=](const Literal& x, const Literal& y) {
//     const std::vector<Tensor> mixed = mix.outputs({Tensor(x), Tensor(y)}, {.training = true});
//     return std::pair(mixed[0].literal(), mixed[1].literal());
//   });
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct CutMix {
  DrawnFactor factor = 1.0;
  std::optional<int64_t> seed = {};  // instead of the model's

  SYSTOLIC_MIXING_LAYER(CutMix, factor, seed)
};

extern template Layer::Layer(CutMix);

}  // namespace systolic::inline v0
