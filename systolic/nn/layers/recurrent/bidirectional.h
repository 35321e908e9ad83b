// A recurrent layer over a sequence in both directions (keras.layers.Bidirectional; Schuster and
// Paliwal 1997).
//
//   Bidirectional{.layer = LSTM{.units = 16, .return_sequences = true}}
//   [batch, steps, features] -> [batch, steps, 32]
//
// The backward layer is one like `layer` that goes the other way, unless backward_layer is given;
// its outputs are put into the order of the steps. merge_mode: "concat" along the last axis, "sum",
// "mul", "ave", or "none" for both outputs. With return_state the outputs are followed by the
// forward layer's last states, then the backward layer's; first states are given in that order. Two
// layers that go the same way, or differ in return_sequences, return_state or stateful, are an
// InvalidArgument.
#pragma once

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layers/inner_layer.h"
#include "systolic/nn/layers/recurrent/recurrence.h"

namespace systolic::inline v0 {

// How the outputs of the two directions become one.
struct MergeModeNames {
  SYSTOLIC_NAMES(throw "merge_mode must be one of: concat sum mul ave none")
};
// One of these names; another literal does not compile.
using MergeMode = Choice<MergeModeNames>;

struct Bidirectional {
  static constexpr const char* kind = "Bidirectional";
  static constexpr LayerTraits traits = {};
  Required<InnerLayer> layer;
  MergeMode merge_mode = "concat";
  std::optional<InnerLayer> backward_layer = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_RECURRENT_LAYER_CALLS

  template <class Self = Bidirectional>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("layer", &Self::layer), field("merge_mode", &Self::merge_mode),
                   field("backward_layer", &Self::backward_layer)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(Bidirectional);

}  // namespace systolic::inline v0
