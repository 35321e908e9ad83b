// XLNet without a head.
#pragma once

#include <string>
#include <vector>

#include "systolic/models/xlnet/xlnet_config.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// {input_ids, attention_mask, token_type_ids}, [batch, tokens] each -> [batch, tokens, d_model].
struct XLNetBody {
  static constexpr const char* kind = "XLNetBody";
  static constexpr bool casts_inputs = false;
  XLNetConfig config;
  Layer words;  // a TiedEmbedding, "word_embedding"
  std::string name = XLNetConfig::body_name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
};

}  // namespace systolic::inline v0
