// Any cell over a sequence (keras.layers.RNN): LSTMCell, GRUCell, SimpleRNNCell, StackedRNNCells,
// or one of your own (recurrent_cell.h).
//
//   RNN{.cell = StackedRNNCells{.cells = {LSTMCell{.units = 8}, LSTMCell{.units = 8}}}}
//   [batch, steps, features] -> [batch, 8], or with return_sequences [batch, steps, 8]
//
// Masks, first and last states are as LSTM has them (lstm.h). Weights, under the cell's name: those
// of the cell.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layers/recurrent/recurrence.h"

namespace systolic::inline v0 {

struct RNN {
  static constexpr const char* kind = "RNN";
  static constexpr LayerTraits traits = {};
  Required<RecurrentCell> cell;
  bool return_sequences = false;      // the output of each step, not of the last one alone
  bool return_state = false;          // the last states too: call outputs(...)
  bool go_backwards = false;          // from the last step to the first
  bool stateful = false;              // a batch goes on where the one before ended
  bool unroll = false;                // no loop on the device: the steps one after the other
  bool zero_output_for_mask = false;  // else masked steps repeat the output before
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;
  static KerasForm keras_form();

  SYSTOLIC_RECURRENT_LAYER_CALLS

  template <class Self = RNN>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("cell", &Self::cell)), recurrence_fields<Self>(),
                          common_fields<Self>());
  }
};

extern template Layer::Layer(RNN);

}  // namespace systolic::inline v0
