// Long short-term memory over a sequence (keras.layers.LSTM; Hochreiter and Schmidhuber 1997).
//
//   LSTM{.units = 32}                                 [batch, steps, features] -> [batch, 32]
//   LSTM{.units = 32, .return_sequences = true}       ... -> [batch, steps, 32]
//   LSTM{.units = 32}({x, h, c})                     with first states, which are else 0
//
//   i, f, g, o = x · kernel + h · recurrent_kernel + bias, side by side
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c')
//
// Masked steps (nn/step_mask.h) change no state. With return_state the outputs are {y, h, c}, with
// h and c of the last step: Layer l = LSTM{...}; l.outputs({x}). A stateful layer keeps its states
// in weights, which reset_states sets back; its batches are all of one size.
//
// Weights, under "lstm_cell/": kernel [features, 4 units], recurrent_kernel [units, 4 units], bias
// [4 units]. A sequence without steps, states that do not fit, units below 1 and rates outside of
// [0, 1) are an InvalidArgument.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/layers/recurrent/lstm_cell.h"
#include "systolic/nn/layers/recurrent/recurrence.h"

namespace systolic::inline v0 {

struct LSTM {
  static constexpr const char* kind = "LSTM";
  static constexpr LayerTraits traits = {};
  Required<int64_t> units;
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
  bool unit_forget_bias = true;  // the forget gate's bias starts at 1
  Regularizer kernel_regularizer = {};
  Regularizer recurrent_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0.0;               // of the input, while training; one mask for all steps
  double recurrent_dropout = 0.0;     // of the state, a mask for each gate
  std::optional<int64_t> seed = {};   // of the dropout, beside the model's
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

  template <class Self = LSTM>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("units", &Self::units), field("activation", &Self::activation),
                   field("recurrent_activation", &Self::recurrent_activation),
                   field("use_bias", &Self::use_bias),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("recurrent_initializer", &Self::recurrent_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("unit_forget_bias", &Self::unit_forget_bias),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint),
                   field("recurrent_regularizer", &Self::recurrent_regularizer),
                   field("recurrent_constraint", &Self::recurrent_constraint),
                   field("bias_regularizer", &Self::bias_regularizer),
                   field("bias_constraint", &Self::bias_constraint),
                   field("activity_regularizer", &Self::activity_regularizer),
                   field("dropout", &Self::dropout),
                   field("recurrent_dropout", &Self::recurrent_dropout),
                   field("seed", &Self::seed)),
        recurrence_fields<Self>(), common_fields<Self>());
  }
};

extern template Layer::Layer(LSTM);

}  // namespace systolic::inline v0
