// Rows that an update leaves as they are.
//
// The step of an optimizer without momentum or decay changes a row of a table only where the row
// has a gradient: value - rate * 0 is the value. Where the result takes the operand's memory, the
// rows that a step did not look up then need not be visited.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct UntouchedRows {
  ir::ValueId sums = ir::no_value;  // a value that is held as RowSums, the only one
  // Each result of the cluster, with the operand that it equals in rows where the sums are zero.
  std::vector<std::pair<ir::ValueId, ir::ValueId>> unchanged;
};

// Nothing where a result may differ from all operands, or where no row is summed. As elsewhere on
// the software TPU, zero times or divided by what nobody computes is zero, also where that is not
// finite.
std::optional<UntouchedRows> untouched_rows(const Planner& planner,
                                            std::span<const ir::Op* const> ops,
                                            std::span<const ir::ValueId> results);

}  // namespace cpu
}  // namespace systolic::inline v0
