// A vector for each integer, and back (keras.layers.ReversibleEmbedding): the table at the start of
// a language model that also gives the logits at its end.
//
//   const Layer table = ReversibleEmbedding{.input_dim = 32000, .output_dim = 512};
//   Symbol logits = table(blocks(table(ids)));
//
// Integers [batch, ...] -> [batch, ..., output_dim], as Embedding; floats [batch, ..., output_dim]
// -> [batch, ..., input_dim], which Keras asks for by `reverse=True`. Weights: embeddings
// [input_dim, output_dim], and where tie_weights is false reverse_embeddings [output_dim,
// input_dim]. Floats of another last axis are an InvalidArgument. Floats that are an input of the
// model itself are checked as integers: put a layer between.
#pragma once

#include <optional>

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct ReversibleEmbedding {
  static constexpr const char* kind = "ReversibleEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> input_dim;
  Required<int64_t> output_dim;
  bool tie_weights = true;
  Initializer embeddings_initializer = "random_uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;                     // 0 stands for padding: vectors have a step mask
  std::optional<double> logit_soft_cap = {};  // logits become cap * tanh(logit / cap)
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::vector<LookupLimit> lookups() const { return {{.limit = input_dim}}; }

  SYSTOLIC_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = ReversibleEmbedding>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("input_dim", &Self::input_dim), field("output_dim", &Self::output_dim),
                   field("tie_weights", &Self::tie_weights),
                   field("embeddings_initializer", &Self::embeddings_initializer),
                   field("embeddings_regularizer", &Self::embeddings_regularizer),
                   field("embeddings_constraint", &Self::embeddings_constraint),
                   field("mask_zero", &Self::mask_zero),
                   field("logit_soft_cap", &Self::logit_soft_cap)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(ReversibleEmbedding);

}  // namespace systolic::inline v0
