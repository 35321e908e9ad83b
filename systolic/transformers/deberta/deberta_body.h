// The body of DeBERTa version 2 and 3: BERT's layers, whose attention counts distances as
// transformers/layers/disentangled_attention.h has it. Internal to transformers.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/transformers/deberta/deberta_config.h"
#include "systolic/transformers/layers/disentangled_attention.h"

namespace systolic::inline v0 {

// As config.json describes it.
DistanceTable distance_table(const DebertaV2Config& config);

// {input_ids, attention_mask, token_type_ids where there are types}, [batch, tokens] each ->
// last_hidden_state [batch, tokens, hidden_size].
struct DebertaV2Body {
  static constexpr const char* kind = "DebertaV2Body";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  DebertaV2Config config;
  Layer words;  // a TiedEmbedding
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;
  std::vector<LookupLimit> lookups() const;

 private:
  // `shown` [batch, tokens, 1]: 0 where a token pads.
  Tensor embedded(const std::vector<Tensor>& xs, const Tensor& shown, CallContext& context) const;
  // What the layers take of distances, [1, 2 * tokens, hidden_size] each: for queries and for keys.
  std::vector<Tensor> distances(int64_t tokens, CallContext& context) const;
  Tensor convolved(const Tensor& embeddings, const Tensor& first, const Tensor& shown,
                   CallContext& context) const;
};

}  // namespace systolic::inline v0
