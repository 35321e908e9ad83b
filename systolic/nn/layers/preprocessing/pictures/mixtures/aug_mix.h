// While training, mixes each picture with several versions of it (keras.layers.AugMix; Hendrycks et
// al., "AugMix: a simple data processing method to improve robustness and uncertainty", 2020): each
// of `num_chains` makes up to `chain_depth` changes, the same ones to all pictures of a batch. The
// chains' shares are drawn from Dirichlet(alpha), and the picture's own from Beta(alpha, alpha).
//
//   AugMix{.factor = 0.3}
//
// The changes are those of RandAugment, without brightness, colors, contrast and sharpness where
// `all_ops` is false.
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct AugMix {
  static constexpr int64_t channels = 3;
  ValueRange value_range = {0, 255};
  int64_t num_chains = 3;
  int64_t chain_depth = 3;
  DrawnFactor factor = 0.3;
  double alpha = 1.0;
  bool all_ops = true;
  Sampling interpolation = "bilinear";
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(AugMix, value_range, num_chains, chain_depth, factor, alpha, all_ops,
                         interpolation, seed)
};

extern template Layer::Layer(AugMix);

}  // namespace systolic::inline v0
