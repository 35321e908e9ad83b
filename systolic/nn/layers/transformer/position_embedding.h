// A learned vector for each position of a sequence (keras_hub.layers.PositionEmbedding).
//
//   Symbol y = x + PositionEmbedding{.sequence_length = 512}(x);
//
// [batch, ..., length, features] -> the same shape: the vectors of positions start_index and on,
// for all of the batch alike. More positions than sequence_length are an InvalidArgument.
//
// Weights: embeddings [sequence_length, features].
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct PositionEmbedding {
  static constexpr const char* kind = "PositionEmbedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool supports_masking = true;
  Required<int64_t> sequence_length;
  Initializer initializer = "glorot_uniform";
  int64_t start_index = 0;  // an argument of the call in Keras
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& =
      delete;  // to share it: Layer l = PositionEmbedding{...}; l(x)

  static KerasForm keras_form() { return {.is_of_keras = false}; }  // KerasHub has it
  template <class Self = PositionEmbedding>
  static constexpr auto fields() {
    return std::tuple(field("sequence_length", &Self::sequence_length),
                      field("initializer", &Self::initializer),
                      field("start_index", &Self::start_index), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(PositionEmbedding);

}  // namespace systolic::inline v0
