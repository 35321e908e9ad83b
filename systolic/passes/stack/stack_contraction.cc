// dot_general and convolution: cores are one more batch axis wherever one side is uniform.
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::ConvolutionAttributes;
using ir::DotAttributes;
using ir::Op;
using ir::OpCode;
using ir::Value;

namespace {

// Whether the first batch axis is the first axis of both sides.
bool batches_lead(const DotAttributes& a) {
  return !a.lhs_batching_dimensions.empty() && a.lhs_batching_dimensions[0] == 0 &&
         a.rhs_batching_dimensions[0] == 0;
}

}  // namespace

void stack_dot_general(Stacker& s, const Op& op) {
  const ir::ValueId lhs = op.operands[0], rhs = op.operands[1];
  DotAttributes a = op.get<DotAttributes>();
  const DType dtype = s.source_type(op.results[0]).dtype;
  const auto batching = static_cast<int>(a.lhs_batching_dimensions.size());
  const bool both = s.stacked(lhs) && s.stacked(rhs);
  if (both && batches_lead(a)) {
    // The cores' batches are one longer batch: no more axes than one core's product has, which
    // kernels then read in place where they do for one core.
    const Value x = merge_axes(s.get(lhs), 0), y = merge_axes(s.get(rhs), 0);
    return s.set(op.results[0], split_axis(dot_general(x, y, a, dtype), 0, s.cores()), true);
  }
  if (s.stacked(lhs)) {
    a.lhs_batching_dimensions = shifted(a.lhs_batching_dimensions);
    a.lhs_contracting_dimensions = shifted(a.lhs_contracting_dimensions);
  }
  if (s.stacked(rhs)) {
    a.rhs_batching_dimensions = shifted(a.rhs_batching_dimensions);
    a.rhs_contracting_dimensions = shifted(a.rhs_contracting_dimensions);
  }
  if (both) {
    a.lhs_batching_dimensions = prepended(0, a.lhs_batching_dimensions);
    a.rhs_batching_dimensions = prepended(0, a.rhs_batching_dimensions);
  }
  const Value result = dot_general(s.get(lhs), s.get(rhs), a, dtype);
  // The core axis: the first free one of the stacked side.
  const int lhs_free = s.source_type(lhs).shape.rank() - batching -
                       static_cast<int>(a.lhs_contracting_dimensions.size());
  const int core_axis = both ? 0 : s.stacked(lhs) ? batching : batching + lhs_free;
  s.set(op.results[0], move_axis(result, core_axis, 0), true);
}

namespace {

// x [cores, ...] with the cores merged, as the slower part, into what was axis `axis` of one core.
Value merged_into(Value x, int64_t axis) {
  return merge_axes(move_axis(x, 0, static_cast<int>(axis)), static_cast<int>(axis));
}

// The opposite.
Value taken_out(Value x, int64_t axis, int64_t cores) {
  const int at = static_cast<int>(axis);
  return move_axis(split_axis(x, at, cores), at, 0);
}

Value convolved(Value input, Value kernel, const ConvolutionAttributes& a, DType result) {
  return input.builder().append_one(OpCode::convolution, {input, kernel}, a, {}, {{result, {}}});
}

}  // namespace

void stack_convolution(Stacker& s, const Op& op) {
  const ir::ValueId input = op.operands[0], kernel = op.operands[1];
  ConvolutionAttributes a = op.get<ConvolutionAttributes>();
  const DType dtype = s.source_type(op.results[0]).dtype;
  const bool kernel_alone = !s.stacked(input) && a.feature_group_count > 1;
  if (a.batch_group_count > 1 || kernel_alone) return s.unroll(op);
  const int64_t cores = s.cores();
  if (!s.stacked(kernel)) {
    const Value x = merged_into(s.get(input), a.input_batch_dimension);
    s.set(op.results[0],
          taken_out(convolved(x, s.get(kernel), a, dtype), a.output_batch_dimension, cores), true);
    return;
  }
  const Value k = merged_into(s.get(kernel), a.kernel_output_feature_dimension);
  Value x = s.get(input);
  if (s.stacked(input)) {
    // Each core is a group of features of its own.
    x = merged_into(x, a.input_feature_dimension);
    a.feature_group_count *= cores;
  }
  s.set(op.results[0], taken_out(convolved(x, k, a, dtype), a.output_feature_dimension, cores),
        true);
}

std::optional<Value> summed_convolution(Value input, Value kernel, ConvolutionAttributes a,
                                        const ir::Type& result) {
  if (a.feature_group_count > 1 || a.batch_group_count > 1) return std::nullopt;
  // A convolution sums over the input features: cores are more of these.
  return convolved(merged_into(input, a.input_feature_dimension),
                   merged_into(kernel, a.kernel_input_feature_dimension), a, result.dtype);
}

}  // namespace passes
}  // namespace systolic::inline v0
