// Gathers and scatters as the kernels take them, and those that take whole rows of a table.
#pragma once

#include <cstdint>
#include <optional>

#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

kernels::GatherGeometry gather_geometry(const Planner& planner, const ir::Op& op);
// The shapes of a scatter of any number of arrays, all alike.
kernels::GatherGeometry scatter_geometry(const Planner& planner, const ir::Op& op);

// `count` indices pick rows of a table [rows, row_elements].
struct RowPick {
  int64_t rows = 0, row_elements = 0, count = 0;
};
// Indices [..., 1] or [...] that pick whole rows of an operand [rows, ...]; nothing for others.
std::optional<RowPick> row_pick(const kernels::GatherGeometry& geometry);

}  // namespace cpu
}  // namespace systolic::inline v0
