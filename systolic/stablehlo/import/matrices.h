// Stacks of matrices, [batch, rows, columns], for the decompositions that are loops of other ops.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace matrices {

// [..., n, m] as [batch, n, m], whatever the leading axes.
ir::Value flattened(ir::Value x);
ir::Value transposed(ir::Value x);
// [batch, n, k] x [batch, k, m], in full precision.
ir::Value product(ir::Value a, ir::Value b);
// Axes of size 1 repeated to this shape.
ir::Value spread(ir::Value x, const Shape& shape);
// The number of each element's row or column, i64.
ir::Value rows_of(ir::Value like);
ir::Value columns_of(ir::Value like);
// 1 on the diagonal of n x m matrices, as a predicate.
ir::Value on_diagonal(ir::Value like);
// The part of `size` that begins at (row, column) of each matrix.
ir::Value part(ir::Value x, ir::Value row, ir::Value column, int64_t rows, int64_t columns);
ir::Value with_part(ir::Value x, ir::Value row, ir::Value column, ir::Value values);

// state = body(i, state) for i = 0 .. n - 1.
using LoopBody =
    std::function<std::vector<ir::Value>(ir::Value i, std::span<const ir::Value> state)>;
std::vector<ir::Value> loop(int64_t n, std::vector<ir::Value> state, const LoopBody& body);

}  // namespace matrices
}  // namespace stablehlo
}  // namespace systolic::inline v0
