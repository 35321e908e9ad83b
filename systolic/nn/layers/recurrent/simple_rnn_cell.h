// A step of SimpleRNN (keras.layers.SimpleRNNCell; Elman 1990), for RNN{.cell = ...} and
// StackedRNNCells, and a layer by itself: x [batch, features] and one state [batch, units], to the
// output and the new state.
//
//   h' = activation(x · kernel + h · recurrent_kernel + bias)
//
//   Layer layer = RNN{.cell = SimpleRNNCell{.units = 16}, .return_sequences = true};
//
// Weights: kernel [features, units], recurrent_kernel [units, units], bias [units]. Units below 1
// and rates outside of [0, 1) are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct SimpleRNNCell {
  static constexpr const char* kind = "SimpleRNNCell";
  static constexpr LayerTraits traits = {};
  Required<int64_t> units;
  Activation activation = "tanh";
  bool use_bias = true;
  Initializer kernel_initializer = "glorot_uniform";
  Initializer recurrent_initializer = "orthogonal";
  Initializer bias_initializer = "zeros";
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

  template <class Self = SimpleRNNCell>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(
            field("units", &Self::units), field("activation", &Self::activation),
            field("use_bias", &Self::use_bias),
            field("kernel_initializer", &Self::kernel_initializer),
            field("recurrent_initializer", &Self::recurrent_initializer),
            field("bias_initializer", &Self::bias_initializer),
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

extern template Layer::Layer(SimpleRNNCell);

}  // namespace systolic::inline v0
