// A product with a kernel along any axes, written as an equation (keras.layers.EinsumDense).
//
//   EinsumDense{.equation = "abc,cd->abd", .output_shape = {-1, 64}, .bias_axes = "d"}
//   [batch, steps, features] -> [batch, steps, 64]
//   EinsumDense{.equation = "...x,xy->...y", .output_shape = {64}}       any axes before the last
//   EinsumDense{.equation = "ab...,bc->ac...", .output_shape = {64}}     or after the second
//
// output_shape is without the batch and without the axes of "...", with -1 where the size is the
// input's. Weights: kernel, of the sizes that its letters have in the output or the input; bias, of
// the sizes of bias_axes, with 1 at the other axes after the first of them. An equation that is
// none or does not fit the input, and a letter of the kernel that neither side has, are an
// InvalidArgument.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct EinsumDense {
  static constexpr const char* kind = "EinsumDense";
  static constexpr LayerTraits traits = {};
  Required<std::string> equation;
  Required<std::vector<int64_t>> output_shape;
  Activation activation = "linear";
  std::string bias_axes = {};  // letters of the output; none: no bias
  Initializer kernel_initializer = "glorot_uniform";
  Initializer bias_initializer = "zeros";
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  Regularizer activity_regularizer = {};
  Constraint kernel_constraint = {};
  Constraint bias_constraint = {};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = EinsumDense>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("equation", &Self::equation), field("output_shape", &Self::output_shape),
                   field("activation", &Self::activation), field("bias_axes", &Self::bias_axes),
                   field("kernel_initializer", &Self::kernel_initializer),
                   field("bias_initializer", &Self::bias_initializer),
                   field("kernel_regularizer", &Self::kernel_regularizer),
                   field("kernel_constraint", &Self::kernel_constraint)),
        bias_fields<Self>(), common_fields<Self>());
  }
};

extern template Layer::Layer(EinsumDense);

}  // namespace systolic::inline v0
