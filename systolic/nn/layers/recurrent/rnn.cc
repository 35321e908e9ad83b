#include "systolic/nn/layers/recurrent/rnn.h"

#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

std::vector<Tensor> RNN::call(const std::vector<Tensor>& xs, CallContext& context) const {
  return run_recurrence(cell, xs, recurrence_options(*this), context);
}

// Several cells are a StackedRNNCells there, which lists them.
KerasForm RNN::keras_form() {
  return {.inside = {{"stacked_rnn_cells/*", "cell/cells/*"}, {"*", "cell"}}};
}

SYSTOLIC_DEFINE_LAYER(RNN)

}  // namespace systolic::inline v0
