// Both gradients of convolution, for any strides, padding, dilations, reversals and groups, as
// convolutions.
//
// With y[n, o, p] = sum over i, k of x[n, i, stride p + k - low] w[o, i, k]:
// - dL/dx convolves dL/dy, dilated by the stride, with the reversed kernel, its features swapped;
// - dL/dw convolves x with dL/dy as kernel, dilated by the stride: batch becomes feature, so that
//   the sum runs over the batch.
// Derived in Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", 2016.
#include <algorithm>

#include "systolic/autodiff/rules/contraction.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::ConvolutionAttributes;
using ir::Value;

namespace {

using PaddingRule = std::pair<int64_t, int64_t> (*)(const WindowAxis&, int64_t, int64_t);

// What a rule gives for each spatial axis of the forward convolution.
ir::Padding padding_by(PaddingRule rule, const GradientRule& r, const ConvolutionAttributes& a) {
  ir::Padding padding;
  for (size_t i = 0; i < a.input_spatial_dimensions.size(); ++i) {
    padding.push_back(rule(window_axis(a, i, r.x(1).shape()),
                           r.x(0).shape()[static_cast<int>(a.input_spatial_dimensions[i])],
                           r.y().shape()[static_cast<int>(a.output_spatial_dimensions[i])]));
  }
  return padding;
}

// Moves the groups, which are the major part of axis `from`, to the front of axis `to`.
Value move_groups(Value x, int64_t from, int64_t to, int64_t groups) {
  Axes split = x.shape().to_vector();
  split[static_cast<size_t>(from)] /= groups;
  split.insert(split.begin() + from, groups);
  Axes joined = x.shape().to_vector();
  joined[static_cast<size_t>(from)] /= groups;
  joined[static_cast<size_t>(to)] *= groups;
  // The groups come right after the split axis `from`; the others follow in their order, each axis
  // after `from` moved by one.
  Axes order;
  for (int64_t axis = 0; axis < x.rank(); ++axis) {
    if (axis == to) order.push_back(from);
    order.push_back(axis < from ? axis : axis + 1);
  }
  return reshape(transpose(reshape(x, Shape(split)), order), Shape(joined));
}

std::vector<bool> opposite(std::vector<bool> reversal, size_t axes) {
  reversal.resize(axes, false);
  reversal.flip();
  return reversal;
}

Value input_gradient(const GradientRule& r, const ConvolutionAttributes& a, Value g) {
  Value kernel = r.x(1);
  const int64_t groups = std::max(a.feature_group_count, a.batch_group_count);
  if (groups > 1) {
    kernel = move_groups(kernel, a.kernel_output_feature_dimension,
                         a.kernel_input_feature_dimension, groups);
  }
  ConvolutionAttributes back = a;
  std::swap(back.kernel_input_feature_dimension, back.kernel_output_feature_dimension);
  std::swap(back.input_batch_dimension, back.output_batch_dimension);
  std::swap(back.input_feature_dimension, back.output_feature_dimension);
  std::swap(back.input_spatial_dimensions, back.output_spatial_dimensions);
  std::swap(back.window_strides, back.lhs_dilation);
  back.window_reversal = opposite(a.window_reversal, a.input_spatial_dimensions.size());
  back.feature_group_count = groups;
  back.batch_group_count = 1;
  back.padding = padding_by(padding_of_input_gradient, r, a);
  const Value result = convolution(g, kernel, back);
  if (a.batch_group_count == 1) return result;
  return move_groups(result, a.input_feature_dimension, a.input_batch_dimension, groups);
}

Value kernel_gradient(const GradientRule& r, const ConvolutionAttributes& a, Value g) {
  ConvolutionAttributes back = a;
  // Input: features are the batch. Kernel (dL/dy): batch is the features to sum over. Output: the
  // forward kernel.
  std::swap(back.input_batch_dimension, back.input_feature_dimension);
  back.kernel_input_feature_dimension = a.output_batch_dimension;
  back.kernel_output_feature_dimension = a.output_feature_dimension;
  back.kernel_spatial_dimensions = a.output_spatial_dimensions;
  back.output_batch_dimension = a.kernel_input_feature_dimension;
  back.output_feature_dimension = a.kernel_output_feature_dimension;
  back.output_spatial_dimensions = a.kernel_spatial_dimensions;
  std::swap(back.window_strides, back.rhs_dilation);
  std::swap(back.feature_group_count, back.batch_group_count);
  back.window_reversal.assign(a.window_reversal.size(), false);
  back.padding = padding_by(padding_of_window_gradient, r, a);
  const Value result = convolution(r.x(0), g, back);
  Axes reversed;
  for (size_t i = 0; i < a.window_reversal.size(); ++i) {
    if (a.window_reversal[i]) reversed.push_back(a.kernel_spatial_dimensions[i]);
  }
  return reversed.empty() ? result : reverse(result, reversed);
}

}  // namespace

std::pair<int64_t, int64_t> padding_of_input_gradient(const WindowAxis& axis, int64_t input,
                                                      int64_t output) {
  const int64_t before = axis.reach() - axis.padding_low - 1;
  const int64_t after =
      dilated(input, axis.base_dilation) + axis.reach() - 1 - dilated(output, axis.stride) - before;
  return {before, after};
}

std::pair<int64_t, int64_t> padding_of_window_gradient(const WindowAxis& axis, int64_t input,
                                                       int64_t output) {
  const int64_t after = dilated(output, axis.stride) - dilated(input, axis.base_dilation) +
                        axis.reach() - axis.padding_low - 1;
  return {axis.padding_low, after};
}

void differentiate_convolution(GradientRule& r) {
  const auto attributes = r.attributes<ConvolutionAttributes>();
  const DType dtype = r.x().dtype();
  const Value g = r.g().dtype() == dtype ? r.g() : convert(r.g(), dtype);
  if (r.needs(0)) r.grad(0, input_gradient(r, attributes, g));
  if (r.needs(1)) r.grad(1, kernel_gradient(r, attributes, g));
}

}  // namespace autodiff
}  // namespace systolic::inline v0
