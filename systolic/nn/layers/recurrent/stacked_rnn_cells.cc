#include "systolic/nn/layers/recurrent/stacked_rnn_cells.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/recurrent/call_cell.h"

namespace systolic::inline v0 {

std::vector<Tensor> StackedRNNCells::call(const std::vector<Tensor>& xs,
                                          CallContext& context) const {
  return call_cell(*this, xs, context);
}

KerasForm StackedRNNCells::keras_form() { return {.inside = {{"*", "cells/*"}}}; }

SYSTOLIC_DEFINE_LAYER(StackedRNNCells)

}  // namespace systolic::inline v0
