// keras.ops that move elements. What stands after `using` is the op of trace/ops with the same
// name.
//
//   Tensor y = ops::moveaxis(x, {0}, {-1});
//
// Axes may be negative: they count from the end. One that there is not is an InvalidArgument with
// the caller's line.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::broadcast_to;
using v0::expand_dims;
using v0::reshape;
using v0::slice;
using v0::slice_update;
using v0::squeeze;
using v0::stack;
using v0::take_along_axis;
using v0::tile;
using v0::transpose;

// Joining. append joins the flattened arrays where no axis is given.
Tensor append(const Tensor& x, const Tensor& values, std::optional<int> axis = {},
              At at = At::current());
Tensor concatenate(const std::vector<Tensor>& parts, int axis = 0, At at = At::current());
Tensor hstack(const std::vector<Tensor>& parts, At at = At::current());
Tensor vstack(const std::vector<Tensor>& parts, At at = At::current());
Tensor dstack(const std::vector<Tensor>& parts, At at = At::current());

// Cutting: into a number of equal parts, or at positions. array_split also takes a number that does
// not divide the axis: the first parts are larger by one then.
std::vector<Tensor> split(const Tensor& x, int64_t sections, int axis = 0, At at = At::current());
std::vector<Tensor> split(const Tensor& x, const std::vector<int64_t>& positions, int axis = 0,
                          At at = At::current());
std::vector<Tensor> array_split(const Tensor& x, int64_t sections, int axis = 0,
                                At at = At::current());
std::vector<Tensor> hsplit(const Tensor& x, int64_t sections, At at = At::current());
std::vector<Tensor> vsplit(const Tensor& x, int64_t sections, At at = At::current());
std::vector<Tensor> dsplit(const Tensor& x, int64_t sections, At at = At::current());
// A Tensor for each element of the axis.
std::vector<Tensor> unstack(const Tensor& x, int axis = 0, At at = At::current());

// Axes and order.
Tensor flip(const Tensor& x, std::vector<int> axes = {}, At at = At::current());
Tensor fliplr(const Tensor& x, At at = At::current());
Tensor flipud(const Tensor& x, At at = At::current());
Tensor moveaxis(const Tensor& x, const std::vector<int>& source,
                const std::vector<int>& destination, At at = At::current());
Tensor swapaxes(const Tensor& x, int axis1, int axis2, At at = At::current());
Tensor ravel(const Tensor& x, At at = At::current());
Tensor copy(const Tensor& x);
// Elements that leave the end come in at the start; without an axis, of the flattened array.
Tensor roll(const Tensor& x, int64_t shift, std::optional<int> axis = {}, At at = At::current());
// Quarter turns from the first of the two axes to the second.
Tensor rot90(const Tensor& x, int turns = 1, std::pair<int, int> axes = {0, 1},
             At at = At::current());
// Each element that often, one after the other; without an axis, of the flattened array.
Tensor repeat(const Tensor& x, int64_t repeats, std::optional<int> axis = {},
              At at = At::current());
Tensor repeat(const Tensor& x, const std::vector<int64_t>& repeats, int axis,
              At at = At::current());
// By integer positions; negative ones count from the end. Without an axis, of the flattened array.
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int> axis = {},
            At at = At::current());
// einops' form: axes by names, groups in brackets, sizes by name where they do not follow.
//   rearrange(x, "b (h w) c -> b h w c", {{"h", 4}})
Tensor rearrange(const Tensor& x, std::string_view pattern,
                 const std::vector<std::pair<std::string, int64_t>>& sizes = {},
                 At at = At::current());

// (before, after) for each axis; "reflect" leaves the edge out, "symmetric" takes it along, "edge"
// repeats it.
enum class PadMode : uint8_t { constant, reflect, symmetric, edge };
Tensor pad(const Tensor& x, const std::vector<std::pair<int64_t, int64_t>>& pad_width,
           PadMode mode = PadMode::constant, double constant_values = 0, At at = At::current());

// Diagonals. k counts them to the right of the main one.
// [..., n, m] -> [..., length]; of two axes that may be others.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int axis1 = 0, int axis2 = 1,
                At at = At::current());
// A vector as the diagonal of a matrix; the diagonal of a matrix. diagflat flattens first.
Tensor diag(const Tensor& x, int64_t k = 0, At at = At::current());
Tensor diagflat(const Tensor& x, int64_t k = 0, At at = At::current());
Tensor trace(const Tensor& x, int64_t offset = 0, int axis1 = 0, int axis2 = 1,
             At at = At::current());
// The last two axes below (above) diagonal k and with it; 0 elsewhere.
Tensor tril(const Tensor& x, int64_t k = 0, At at = At::current());
Tensor triu(const Tensor& x, int64_t k = 0, At at = At::current());

// The windows of `length` elements that begin `stride` apart on the last axis: [..., windows,
// length].
Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride, At at = At::current());
// Positions in a flattened array of that shape, as one Tensor an axis.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape, At at = At::current());
// The value of the first condition that holds, else the default; all broadcast.
Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              double otherwise = 0, At at = At::current());

// What is known of a Tensor without its values.
inline Shape shape(const Tensor& x) { return x.shape(); }
inline int64_t size(const Tensor& x) { return x.size(); }
inline int ndim(const Tensor& x) { return x.rank(); }
inline DType dtype(const Tensor& x) { return x.dtype(); }

}  // namespace ops
}  // namespace systolic::inline v0
