// A step of GRU (keras.layers.GRUCell; Cho et al. 2014), for RNN{.cell = ...} and StackedRNNCells,
// and a layer by itself: x [batch, features] and one state [batch, units], to the output and the
// new state.
//
//   z = sigmoid(x_z + h_z),   r = sigmoid(x_r + h_r),   g = tanh(x_h + r h_h)
//   h' = z h + (1 - z) g
//
// where x_z, x_r, x_h are x · kernel + bias side by side, h_z, h_r, h_h the same of h ·
// recurrent_kernel. With reset_after = false, r multiplies h before the product.
//
//   Layer layer = RNN{.cell = GRUCell{.units = 16}, .return_sequences = true};
//
// Weights: kernel [features, 3 units], recurrent_kernel [units, 3 units], bias [2, 3 units], or
// without reset_after [3 units]. Units below 1 and rates outside of [0, 1) are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/recurrent/recurrent_cell.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GRUCell {
  static constexpr const char* kind = "GRUCell";
  static constexpr LayerTraits traits = {};
  Required<int64_t> units;
  Activation activation = "tanh";
  Activation recurrent_activation = "sigmoid";
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
  double dropout = 0.0;            // of the input, while training; one mask for all steps
  double recurrent_dropout = 0.0;  // of the state, a mask for each gate
  bool reset_after = true;
  std::optional<int64_t> seed = {};  // of the dropout, beside the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  std::vector<Shape> state_shapes(const Shape& step) const;
  RecurrentSteps over(const Tensor& sequence, CellContext& context) const;
  std::vector<Tensor> call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = GRUCell>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("units", &Self::units), field("activation", &Self::activation),
                   field("recurrent_activation", &Self::recurrent_activation),
                   field("use_bias", &Self::use_bias),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("recurrent_initializer", &Self::recurrent_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint),
                   field("recurrent_regularizer", &Self::recurrent_regularizer),
                   field("recurrent_constraint", &Self::recurrent_constraint),
                   field("bias_regularizer", &Self::bias_regularizer),
                   field("bias_constraint", &Self::bias_constraint),
                   field("dropout", &Self::dropout),
                   field("recurrent_dropout", &Self::recurrent_dropout),
                   field("reset_after", &Self::reset_after), field("seed", &Self::seed)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(GRUCell);

}  // namespace systolic::inline v0
