// Turning operands into values of the current trace, with NumPy's broadcasting. Internal to trace.
#pragma once

#include <utility>
#include <vector>

#include "systolic/trace/axes.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {

// NumPy's rule: aligned at the last axis, equal or 1. Anything else is an InvalidArgument with both
// shapes.
Shape broadcast_shape(const Shape& a, const Shape& b, SourceLocation location);

// Both operands with one type and one shape. A number takes the type of the Tensor; two Tensors of
// different types are an InvalidArgument that shows the cast. `name` is the op as the user wrote
// it.
std::pair<ir::Value, ir::Value> aligned(const Operand& a, const Operand& b, std::string_view name);

// The operand alone; numbers become f32, i32 or pred scalars.
ir::Value alone(const Operand& operand);

// As `alone`, but integers (and pred) are turned to f32, for ops that want floats.
ir::Value floating(const Operand& operand, std::string_view name);

// Back into a Tensor of the current trace.
Tensor wrap(ir::Value value);

// Axes made positive, sorted; all of them when none is named. Repeated or outside is an
// InvalidArgument.
std::vector<int64_t> positive_axes(const Axes& axes, int rank, SourceLocation location);
int64_t positive_axis(int axis, int rank, SourceLocation location);

}  // namespace systolic::inline v0
