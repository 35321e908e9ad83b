// A product as its shapes alone tell it, for what is decided before operands have places.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// The product of the sizes of these axes.
int64_t size_along(const Shape& shape, const ir::Axes& axes);

// A dot_general of two operands of one type and without batch axes, as the kernels would take it if
// all arrays lay dense: a with its rows along k where its last axes are summed, else transposed, b
// and c by rows. Nothing for other ops, and for products of nothing.
std::optional<kernels::MatmulOptions> product_shape(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
