// Gradients of reduce; the window ops have a file of their own.
#include <algorithm>
#include <numeric>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/contraction.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/core/axes.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::OpCode;
using ir::Value;

namespace {

// Spreads a result of the reduction over the operand's shape.
Value spread(Value reduced, const GradientRule& r, const Axes& axes) {
  return broadcast_in_dim(reduced, r.x().shape(), remaining_axes(r.x().rank(), axes));
}

// All elements that equal the extremum share the gradient equally.
Value extremum_gradient(const GradientRule& r, const Axes& axes) {
  const Value is_extremum = equal(r.x(), spread(r.y(), r, axes));
  const Value count = reduce_sum(convert(is_extremum, r.g().dtype()), axes);
  const Value share = spread(r.g() / count, r, axes);
  return select(is_extremum, share, zeros_like(share));
}

// The product of all elements before each along the last axis (after each, with `after`), by
// windows as long as the axis.
Value exclusive_product(Value x, bool after) {
  const auto rank = static_cast<size_t>(x.rank());
  const int64_t n = x.shape()[-1];
  ir::WindowAttributes window{.window_dimensions = Axes(rank, 1),
                              .window_strides = Axes(rank, 1),
                              .base_dilations = Axes(rank, 1),
                              .window_dilations = Axes(rank, 1),
                              .padding = ir::Padding(rank, {0, 0})};
  window.window_dimensions[rank - 1] = n;
  window.padding[rank - 1] = {n - 1, n - 1};
  // Window i covers the elements [i - n + 1, i]: the one before element i is window i - 1. One more
  // element of padding on either side holds the empty products.
  Axes start(rank, 0), limit = x.shape().to_vector(), low(rank, 0), high(rank, 0);
  (after ? high : low)[rank - 1] = 1;
  const Value products = reduce_window(x, OpCode::multiply, window);
  const Value one = x.builder().filled(x.dtype(), Shape{}, 1.0);
  const Value extended = pad(products, one, low, high);
  if (after) start[rank - 1] = n;
  limit[rank - 1] = start[rank - 1] + n;
  return slice(extended, start, limit);
}

// dL/dx_i = g * product of the others: not y / x_i, which fails where an element is 0.
Value product_gradient(const GradientRule& r, const Axes& axes) {
  const Shape shape = r.x().shape();
  Axes order = remaining_axes(shape.rank(), axes);
  const size_t kept = order.size();
  Axes reduced = axes;
  std::sort(reduced.begin(), reduced.end());
  order.insert(order.end(), reduced.begin(), reduced.end());
  const Value moved = transpose(r.x(), order);
  const Shape moved_shape = moved.shape();
  Axes flat_shape(moved_shape.begin(), moved_shape.begin() + kept);
  flat_shape.push_back(moved_shape.slice(static_cast<int>(kept), moved_shape.rank()).elements());
  const Value flat = reshape(moved, Shape(flat_shape));
  const Value others = exclusive_product(flat, false) * exclusive_product(flat, true);
  return spread(r.g(), r, axes) *
         transpose(reshape(others, moved_shape), inverse_permutation(order));
}

void differentiate_reduce(GradientRule& r) {
  if (r.operands() != 2) {
    r.none("it folds several arrays at once", "take the positions first and gather the values");
  }
  const auto code = ir::fold_op(r.op().regions[0]);
  const auto axes = r.attributes<ir::AxesAttributes>().axes;
  if (r.needs(1)) {
    if (code != OpCode::add) {
      r.none("the initial value of a fold other than add depends on a source",
             "fold from a constant, then combine");
    }
    r.grad(1, sum_of_all(r.g()));
  }
  if (!r.needs(0)) return;
  const bool real = !is_complex(r.x().dtype());
  if (code == OpCode::add) return r.grad(0, spread(r.g(), r, axes));
  if (real && (code == OpCode::maximum || code == OpCode::minimum)) {
    return r.grad(0, extremum_gradient(r, axes));
  }
  if (real && code == OpCode::multiply && r.x().shape().elements() == 0) return;
  if (real && code == OpCode::multiply) return r.grad(0, product_gradient(r, axes));
  r.none("its body is neither add nor multiply, maximum or minimum of real numbers",
         "build it from reductions by these");
}

constexpr GradientRow rows[] = {
    whole(OpCode::reduce, differentiate_reduce).also_complex(),
    whole(OpCode::reduce_window, differentiate_reduce_window),
    whole(OpCode::select_and_scatter, differentiate_select_and_scatter),
};
static_assert(covers(rows, reduction_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> reduction_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
