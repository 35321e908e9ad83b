// Reducing over axes. No axes named means all of them. Negative axes count from the end.
//
//   sum(x, {.axes = {0}, .keepdims = true})
#pragma once

#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct ReduceOptions {
  std::vector<int> axes = {};
  bool keepdims = false;
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
// clang-format on

// Position of the largest (smallest) element along one axis, as i32; the first one among equals.
Tensor argmax(const Tensor& x, int axis = -1, At at = At::current());
Tensor argmin(const Tensor& x, int axis = -1, At at = At::current());

Tensor softmax(const Tensor& x, int axis = -1, At at = At::current());
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
