// The half of CLIP and SigLIP that reads texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/clip/tower.h"

namespace systolic::inline v0 {

// {input_ids, attention_mask}, [batch, tokens] each -> {last_hidden_state [batch, tokens,
// hidden_size], pooler_output [batch, hidden_size or head_size]}. InvalidArgument for more tokens
// than positions.
struct TextTower {
  static constexpr const char* kind = "TextTower";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  TowerSizes sizes;
  int64_t vocabulary = 0;
  int64_t positions = 0;
  bool causal = false;  // each token sees itself and those before it only
  // The token that stands for a text: the first of this id; of 2, the one of the largest id, as
  // files had it before transformers 4.31; without, the last one, whatever the mask says.
  std::optional<int64_t> eos_token_id = {};
  int64_t head_size = 0;  // of a dense layer after it; 0: none
  std::string name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;

 private:
  Tensor embedded(const Tensor& ids, CallContext& context) const;
  Tensor pooled(const Tensor& x, const Tensor& ids, CallContext& context) const;
};

}  // namespace systolic::inline v0
