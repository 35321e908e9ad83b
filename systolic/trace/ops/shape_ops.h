// Moving elements, with TensorFlow's names and meanings.
#pragma once

#include <utility>
#include <vector>

#include "systolic/trace/axes.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

using At = SourceLocation;

// One size may be -1: it takes the remaining elements.
Tensor reshape(const Tensor& x, const Shape& shape, At at = At::current());
// Without a permutation the axes are reversed.
Tensor transpose(const Tensor& x, std::vector<int> permutation = {}, At at = At::current());
Tensor expand_dims(const Tensor& x, int axis, At at = At::current());
// Without axes: all of size 1.
Tensor squeeze(const Tensor& x, Axes axis = {}, At at = At::current());
Tensor broadcast_to(const Tensor& x, const Shape& shape, At at = At::current());
Tensor concat(const std::vector<Tensor>& parts, int axis, At at = At::current());
// The same, as NumPy and keras.ops name it.
Tensor concatenate(const std::vector<Tensor>& parts, int axis = -1, At at = At::current());
Tensor stack(const std::vector<Tensor>& parts, int axis = 0, At at = At::current());
// Into `count` equal parts.
std::vector<Tensor> split(const Tensor& x, int count, int axis, At at = At::current());
// Begin and size per axis; a size of -1 is the rest.
Tensor slice(const Tensor& x, const Shape& begin, const Shape& size, At at = At::current());
Tensor tile(const Tensor& x, const std::vector<int64_t>& multiples, At at = At::current());
// (before, after) per axis.
Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& paddings,
           double value = 0, At at = At::current());
Tensor flip(const Tensor& x, std::vector<int> axes, At at = At::current());

// Rows (along `axis`) by integer positions of any shape: result axes are those of x with `axis`
// replaced by those of the indices. Positions out of range are clamped, as on a TPU.
Tensor gather(const Tensor& x, const Tensor& indices, int axis = 0, At at = At::current());
// x with rows of `updates` added at `indices` along the first axis; equal positions add up.
Tensor scatter_add(const Tensor& x, const Tensor& indices, const Tensor& updates,
                   At at = At::current());
// x with its rows at `indices` replaced by `updates` (tf.tensor_scatter_nd_update); positions out
// of range are ignored, and among equal positions one update stays.
Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      At at = At::current());
// 1 at the position named by each index, along a new last axis; all 0 where the index is outside
// [0, depth). Indices that are floats are cut to integers.
Tensor one_hot(const Tensor& indices, int64_t depth, DType dtype = DType::f32,
               At at = At::current());
// The elements of x at the positions along `axis` that `indices` name, which has the shape of x
// except for that axis: x [rows, classes], indices [rows, 1] -> [rows, 1]. 0 where a position lies
// outside.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, int axis = -1,
                       At at = At::current());

}  // namespace systolic::inline v0
