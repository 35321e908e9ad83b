// Reducing over axes. No axes named means all of them. Negative axes count from the end.
//
//   sum(x, {.axis = 0, .keepdims = true})
#pragma once

#include "systolic/trace/axes.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Over which axes a reduction goes, and whether they stay.
struct ReduceOptions {
  Axes axis = {};         // one or several; none: all
  bool keepdims = false;  // the axes stay, with size 1
};

using At = SourceLocation;

// clang-format off
Tensor sum(const Tensor& x, ReduceOptions options = {}, At at = At::current());   // bf16 and f16 add up in f32
Tensor mean(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor prod(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor max(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor min(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor any(const Tensor& x, ReduceOptions options = {}, At at = At::current());   // of pred; all(x) is its twin
Tensor variance(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // biased, two passes
Tensor logsumexp(const Tensor& x, ReduceOptions options = {}, At at = At::current());
// The same over one axis, its number alone.
template <AxisNumber Axis> Tensor sum(const Tensor& x, Axis axis, At at = At::current()) { return sum(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor mean(const Tensor& x, Axis axis, At at = At::current()) { return mean(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor prod(const Tensor& x, Axis axis, At at = At::current()) { return prod(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor max(const Tensor& x, Axis axis, At at = At::current()) { return max(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor min(const Tensor& x, Axis axis, At at = At::current()) { return min(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor any(const Tensor& x, Axis axis, At at = At::current()) { return any(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor variance(const Tensor& x, Axis axis, At at = At::current()) { return variance(x, {.axis = axis}, at); }
template <AxisNumber Axis> Tensor logsumexp(const Tensor& x, Axis axis, At at = At::current()) { return logsumexp(x, {.axis = axis}, at); }
// clang-format on

// Position of the largest (smallest) element along one axis, as i32; the first one among equals.
Tensor argmax(const Tensor& x, int axis = -1, At at = At::current());
Tensor argmin(const Tensor& x, int axis = -1, At at = At::current());

// exp(x) over its sum along the axis; the largest element is subtracted first, so that nothing
// overflows. Floats; else an InvalidArgument.
Tensor softmax(const Tensor& x, int axis = -1, At at = At::current());
// The logarithm of softmax(x), computed as x - logsumexp(x), which stays finite where a probability
// is 0. Floats; else an InvalidArgument.
Tensor log_softmax(const Tensor& x, int axis = -1, At at = At::current());

// Sums along an axis up to and with each element.
Tensor cumsum(const Tensor& x, int axis = 0, At at = At::current());

// The k largest along the last axis, in descending order, and their positions (i32).
struct TopK {
  Tensor values, indices;
};
TopK top_k(const Tensor& x, int64_t k, At at = At::current());
Tensor sort(const Tensor& x, int axis = -1, bool descending = false, At at = At::current());

}  // namespace systolic::inline v0
