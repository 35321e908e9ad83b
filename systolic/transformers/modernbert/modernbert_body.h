// The body of ModernBERT: it normalizes before attention and before a gated dense network, turns
// queries and keys by their positions, and in most layers sees nearby tokens only.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/initializers/initializer.h"
#include "systolic/nn/layer.h"
#include "systolic/transformers/layers/rotation.h"
#include "systolic/transformers/modernbert/modernbert_config.h"

namespace systolic::inline v0 {

// How layers start that add to what comes in.
Initializer modernbert_output_start(const ModernBertConfig& config);

// {x [batch, tokens, hidden_size], mask pred, cosines and sines of a Rotation} -> {as x}.
struct ModernBertLayer {
  static constexpr const char* kind = "ModernBertLayer";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ModernBertConfig config;
  bool normalizes_first = true;  // the first layer's input has been already
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

 private:
  Tensor attended(const Tensor& x, const std::vector<Tensor>& xs, CallContext& context) const;
  Tensor gated(const Tensor& x, CallContext& context) const;
};

// {input_ids, attention_mask} [batch, tokens] -> last_hidden_state [batch, tokens, hidden_size].
struct ModernBertBody {
  static constexpr const char* kind = "ModernBertBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  ModernBertConfig config;
  Layer words;  // a TiedEmbedding
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;
};

}  // namespace systolic::inline v0
