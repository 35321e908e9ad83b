// One layer of XLNet: attention by content, distance and segment, then a dense network, each with a
// residual connection. Internal to transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/xlnet/xlnet_config.h"

namespace systolic::inline v0 {

// {x [batch, tokens, d_model], mask pred [batch, 1, tokens, keys], other pred [batch, 1, tokens,
// keys] where query and key are of different segments, waves [1, distances, d_model]}, then, where
// there are such, the memory [batch, memory, d_model], whose tokens are keys in front of x's, and
// the query stream {g [batch, predicted, d_model], mask, target_mapping [batch, predicted, tokens]}
// -> {x} or {x, g}. The number of inputs says which there are: a language model that predicts by
// one stream writes by two.
struct XLNetLayer {
  static constexpr const char* kind = "XLNetLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  XLNetConfig config;
  std::string name;

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
};

}  // namespace systolic::inline v0
