// Cells one after another, as one cell: each takes the output of the one before
// (keras.layers.StackedRNNCells).
//
//   Layer layer = RNN{.cell = StackedRNNCells{.cells = {LSTMCell{.units = 8}, GRUCell{.units =
//   4}}}};
//
// The states are those of the first cell, then those of the second, and so on. No cells are an
// InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct StackedRNNCells {
  static constexpr const char* kind = "StackedRNNCells";
  static constexpr LayerTraits traits = {};
  Required<std::vector<RecurrentCell>> cells;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = StackedRNNCells>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("cells", &Self::cells)), common_fields<Self>());
  }
};

extern template Layer::Layer(StackedRNNCells);

}  // namespace systolic::inline v0
