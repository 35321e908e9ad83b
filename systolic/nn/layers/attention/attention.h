// Attention without projections: Attention (Luong et al. 2015) and AdditiveAttention (Bahdanau et
// al. 2015) (keras.layers).
//
//   Symbol y = Attention{}({query, value});            // or {query, value, key}
//   [batch, target, features], [batch, source, features] -> [batch, target, features]
//
// The output is softmax(scores) · value. Scores are query · key for score_mode "dot", with
// use_scale times a trained number; concat_score_weight * sum(tanh(scale * (query + key))) for
// "concat"; and sum(scale * tanh(query + key)) in AdditiveAttention. Steps that are masked
// (nn/step_mask.h) are not attended to, and give 0. With return_attention_scores also the
// probabilities [batch, target, source]: call outputs(...).
//
// Weights: scale [], or in AdditiveAttention [features]; concat_score_weight []. Other counts of
// inputs and sizes that do not fit are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// How a query and a key become a score: by their product, or by tanh of their sum.
struct ScoreModeNames {
  SYSTOLIC_NAMES(throw "score_mode must be one of: dot concat")
};
// "dot" or "concat"; another literal does not compile.
using ScoreMode = Choice<ScoreModeNames>;

struct Attention {
  static constexpr const char* kind = "Attention";
  static constexpr LayerTraits traits = {};
  bool use_scale = false;
  ScoreMode score_mode = "dot";
  double dropout = 0.0;              // of the probabilities, while training
  std::optional<int64_t> seed = {};  // of the dropout, beside the model's
  // These two are arguments of the call in Keras.
  bool use_causal_mask = false;
  bool return_attention_scores = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = Attention>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("use_scale", &Self::use_scale), field("score_mode", &Self::score_mode),
                   field("dropout", &Self::dropout), field("seed", &Self::seed),
                   field("use_causal_mask", &Self::use_causal_mask),
                   field("return_attention_scores", &Self::return_attention_scores)),
        common_fields<Self>());
  }
};

struct AdditiveAttention {
  static constexpr const char* kind = "AdditiveAttention";
  static constexpr LayerTraits traits = {};
  bool use_scale = true;
  double dropout = 0.0;
  std::optional<int64_t> seed = {};
  bool use_causal_mask = false;
  bool return_attention_scores = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = AdditiveAttention>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("use_scale", &Self::use_scale), field("dropout", &Self::dropout),
                   field("seed", &Self::seed), field("use_causal_mask", &Self::use_causal_mask),
                   field("return_attention_scores", &Self::return_attention_scores)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(Attention);
extern template Layer::Layer(AdditiveAttention);

}  // namespace systolic::inline v0
