// The encoder of CLIP and SigLIP, the same for texts and for pictures: it normalizes before
// attention and before the dense network. Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/layer.h"
#include "systolic/trace/ops/attention.h"

namespace systolic::inline v0 {

// How weights start.
struct TowerInitializers {
  Initializer projections = "glorot_uniform";  // queries, keys and values
  Initializer attention_output = "glorot_uniform";
  Initializer inner = "glorot_uniform";  // the dense network's first layer, and its second
  Initializer output = "glorot_uniform";
  Initializer words = "glorot_uniform";  // tables of tokens and of positions
  Initializer positions = "glorot_uniform";
  Initializer patches = "lecun_normal";
  Initializer special = "zeros";  // the token that stands for a picture
};

struct TowerSizes {
  int64_t hidden_size = 0;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t intermediate_size = 0;
  std::string activation = "quick_gelu";
  double layer_norm_epsilon = 1e-5;
  double attention_dropout = 0;  // of attention's probabilities
  TowerInitializers initializers = {};
};

// All layers, named encoder.layers.0 and so on: x [batch, tokens, hidden_size] -> the same. `mask`
// and `causal` of `options` count.
Tensor tower_encoded(Tensor x, const TowerSizes& sizes, const AttentionOptions& options,
                     CallContext& context);

// A dense layer with those weights at the start.
Layer tower_dense(int64_t units, const Initializer& initializer, std::string name,
                  const std::string& activation = "linear", bool use_bias = true);

// The dense network: names of its layers begin with `name`.
Tensor tower_network(const Tensor& x, const TowerSizes& sizes, const std::string& name,
                     CallContext& context);

}  // namespace systolic::inline v0
