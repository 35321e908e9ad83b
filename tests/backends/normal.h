// Layer normalization, op by op.
#pragma once

#include "systolic/ir/builder/builder.h"

namespace systolic {

// `inverse` and `mean` have one number a row.
struct Normal {
  ir::Value x, mean = {}, centered = {}, inverse = {}, normalized = {}, scale = {}, offset = {};
  ir::Value per_row(ir::Value v) const { return ir::broadcast_in_dim(v, x.shape(), kept()); }
  ir::Value per_column(ir::Value v) const {
    return ir::broadcast_in_dim(v, x.shape(), {x.shape().rank() - 1});
  }
  ir::Axes kept() const {
    ir::Axes axes;
    for (int axis = 0; axis + 1 < x.shape().rank(); ++axis) axes.push_back(axis);
    return axes;
  }
};

inline ir::Value affine(const Normal& n) {
  return n.normalized * n.per_column(n.scale) + n.per_column(n.offset);
}

// With 0.5 for epsilon; `factor` is 1 / columns.
inline Normal normal_of(ir::Value x, double factor) {
  Normal n{.x = x};
  const int last = x.shape().rank() - 1;
  n.centered = x - n.per_row(ir::reduce_sum(x, {last}) * factor);
  const ir::Value variance = ir::reduce_sum(n.centered * n.centered, {last}) * factor;
  n.inverse = ir::unary(ir::OpCode::rsqrt, variance + 0.5);
  n.normalized = n.centered * n.per_row(n.inverse);
  return n;
}

}  // namespace systolic
