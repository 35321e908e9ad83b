// A step of LSTM (keras.layers.LSTMCell; Hochreiter and Schmidhuber 1997), for RNN{.cell = ...} and
// StackedRNNCells, and a layer by itself: x [batch, features] and two states, h and c, [batch,
// units] each, to the output and the new states.
//
//   i, f, g, o = x · kernel + h · recurrent_kernel + bias, side by side
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),   h' = sigmoid(o) tanh(c')
//
//   Layer layer = RNN{.cell = LSTMCell{.units = 16}, .return_sequences = true};
//
// Weights: kernel [features, 4 units], recurrent_kernel [units, 4 units], bias [4 units]. Units
// below 1 and rates outside of [0, 1) are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct LSTMCell {
  static constexpr const char* kind = "LSTMCell";
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
  Constraint kernel_constraint = {};
  Constraint recurrent_constraint = {};
  Constraint bias_constraint = {};
  double dropout = 0.0;              // of the input, while training; one mask for all steps
  double recurrent_dropout = 0.0;    // of the state, a mask for each gate
  std::optional<int64_t> seed = {};  // of the dropout, beside the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Shape> state_shapes(const Shape& step) const;
  RecurrentSteps over(const Tensor& sequence, CellContext& context) const;
  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = LSTMCell>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(
            field("units", &Self::units), field("activation", &Self::activation),
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
            field("bias_constraint", &Self::bias_constraint), field("dropout", &Self::dropout),
            field("recurrent_dropout", &Self::recurrent_dropout), field("seed", &Self::seed)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(LSTMCell);

}  // namespace systolic::inline v0
