// keras.ops that sort, search and count. What stands after `using` is the op of trace/ops with the
// same name.
//
//   Tensor bins = ops::digitize(x, {0, 1, 2.5});
//
// How many elements a result has is known when a program is traced: bincount, histogram and unique
// (trace/ops/unique.h) take their length.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/unique.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::sort;
using v0::top_k;
using v0::unique;

// The positions that sort an axis, i32; equal elements stay in their order.
Tensor argsort(const Tensor& x, int axis = -1, At at = At::current());
// The k smallest first, the others after them.
Tensor argpartition(const Tensor& x, int64_t kth, int axis = -1, At at = At::current());

// For each value where it would stand in the sorted vector, before elements that are equal or after
// them (`right`): i32.
Tensor searchsorted(const Tensor& sorted, const Tensor& values, bool right = false,
                    At at = At::current());
// How many of the ascending `bins` lie at or below each element: i32.
Tensor digitize(const Tensor& x, const std::vector<double>& bins, At at = At::current());

// How often each of 0, 1, ..., length - 1 stands in x, integers [count]: i32 [length], or the sums
// of the weights. Others do not count.
Tensor bincount(const Tensor& x, int64_t length, const std::optional<Tensor>& weights = {},
                At at = At::current());
struct Histogram {
  Tensor counts, edges;  // i32 [bins], f32 [bins + 1]
};
// Bins of equal width from the least to the largest element, or over a range.
Histogram histogram(const Tensor& x, int64_t bins = 10,
                    std::optional<std::pair<double, double>> range = {}, At at = At::current());

// pred: whether each element is among the others.
Tensor isin(const Tensor& x, const Tensor& others, At at = At::current());
// pred [batch]: whether the class is among the k with the largest predictions [batch, classes].
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k, At at = At::current());

// Rows of a segment, added up, multiplied, ...: data [rows, ...], segment_ids i32 [rows] ->
// [num_segments, ...]. An id outside counts nowhere; a segment without rows has the fold's neutral
// element.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   At at = At::current());
Tensor segment_max(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   At at = At::current());
Tensor segment_min(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                   At at = At::current());
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids, int64_t num_segments,
                    At at = At::current());

// Zeros of `shape` with `values` added at the positions `indices`, integers [count, axes].
Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape,
               At at = At::current());
// x with the elements at those positions replaced.
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
