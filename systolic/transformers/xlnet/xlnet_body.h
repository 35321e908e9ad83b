// XLNet without a head.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/xlnet/xlnet_config.h"

namespace systolic::inline v0 {

// {input_ids, attention_mask, token_type_ids}, [batch, tokens] each, then those of perm_mask,
// target_mapping and mems that it takes (xlnet_config.h) -> {the hidden states of the tokens
// [batch, tokens, d_model], or with target_mapping of the predictions [batch, predicted, d_model];
// where it takes mems, the new ones}.
struct XLNetBody {
  static constexpr const char* kind = "XLNetBody";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  static constexpr int64_t digits_of_id = 3;  // to the base 256, which all float types hold exactly
  XLNetConfig config;
  Layer words;  // a TiedEmbedding, "word_embedding"
  bool takes_perm_mask = false;
  bool takes_target_mapping = false;
  bool takes_mems = false;
  std::string name = XLNetConfig::body_name;
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  // As a Decoder calls it (layers/decoder.h). What is kept are the text's ids, as digits: each call
  // reads all of the text, and gives the hidden state [batch, 1, d_model] of the token after it.
  std::vector<Tensor> call_with_caches(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;
};

}  // namespace systolic::inline v0
