// The sum of a vector for each token and one for its position
// (keras_hub.layers.TokenAndPositionEmbedding): [batch, length] of integers in [0, vocabulary_size)
// -> [batch, length, embedding_dim].
//
//   TokenAndPositionEmbedding{.vocabulary_size = 30522, .sequence_length = 512,
//                             .embedding_dim = 384}
//
// Weights: token_embedding/embeddings [vocabulary_size, embedding_dim],
// position_embedding/embeddings [sequence_length, embedding_dim].
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct TokenAndPositionEmbedding {
  static constexpr const char* kind = "TokenAndPositionEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> vocabulary_size;
  Required<int64_t> sequence_length;
  Required<int64_t> embedding_dim;
  Initializer embeddings_initializer = "random_uniform";
  bool mask_zero = false;  // as Embedding's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::vector<LookupLimit> lookups() const {
    return {{.limit = vocabulary_size, .layer = "token_embedding"}};
  }

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& =
      delete;  // to share it: Layer l = TokenAndPositionEmbedding{...}; l(x)

  static KerasForm keras_form() { return {.is_of_keras = false}; }  // KerasHub has it
  template <class Self = TokenAndPositionEmbedding>
  static constexpr auto fields() {
    return std::tuple(field("vocabulary_size", &Self::vocabulary_size),
                      field("sequence_length", &Self::sequence_length),
                      field("embedding_dim", &Self::embedding_dim),
                      field("embeddings_initializer", &Self::embeddings_initializer),
                      field("mask_zero", &Self::mask_zero), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(TokenAndPositionEmbedding);

}  // namespace systolic::inline v0
