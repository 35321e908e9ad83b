// A vector for each integer (keras.layers.Embedding): [batch, ...] of integers in [0, input_dim) ->
// [batch, ..., output_dim]. Integers outside are an InvalidArgument where the host knows them: in
// the data of fit, evaluate and predict, the arguments of a function, the batches of a custom loop
// (CallContext::check_integers_below). Those that a device computed are clamped, as on a TPU.
//
// Weights: embeddings [input_dim, output_dim]. Optimizers move every row in each step, as with a
// dense gradient; on the software TPU that gradient is never stored (backends/cpu/fuse/row_sums.h).
// Adam and AdamW move only the rows that a step used where lazy_rows asks for it. On a TPU small
// tables are multiplied instead of gathered (backends/pjrt/lookup_form.h).
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Embedding {
  static constexpr const char* kind = "Embedding";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  Required<int64_t> input_dim;
  Required<int64_t> output_dim;
  Initializer embeddings_initializer = "random_uniform";
  Regularizer embeddings_regularizer = {};
  Constraint embeddings_constraint = {};
  bool mask_zero = false;  // 0 stands for padding: the output has a step mask
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::vector<LookupLimit> lookups() const { return {{.limit = input_dim}}; }

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Embedding{...}; l(x)

  template <class Self = Embedding>
  static constexpr auto fields() {
    return std::tuple(field("input_dim", &Self::input_dim), field("output_dim", &Self::output_dim),
                      field("embeddings_initializer", &Self::embeddings_initializer),
                      field("embeddings_regularizer", &Self::embeddings_regularizer),
                      field("embeddings_constraint", &Self::embeddings_constraint),
                      field("mask_zero", &Self::mask_zero), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Embedding);

}  // namespace systolic::inline v0
