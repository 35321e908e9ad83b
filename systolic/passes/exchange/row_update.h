// Finds where a program moves rows of tables: the ops by which an optimizer that moves the
// looked-up rows alone (nn/optimizers/update) sorts the lookups, adds up what each row gets, reads
// the rows, and writes them.
#pragma once

#include <functional>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

struct RowUpdate {
  // Places in the block of the scatters that write rows, and of the ops that compute what they
  // write from the sums, in order.
  std::vector<size_t> scatters, ops;
  std::vector<ir::ValueId> tables;  // that the scatters write rows in, [height, ...] each
  ir::ValueId rows = ir::no_value;  // i32 [count]: each row once, and `height` in the other places
  ir::ValueId sums = ir::no_value;  // [count, ...]: of each row's updates
  // The lookups, i32 [n] each, and what each gives its row, [n, ...]: `count` together.
  std::vector<ir::ValueId> ids, updates;
  std::vector<ir::ValueId> scalars;  // that `ops` read from outside
};

// Those of tables for which `is_split` holds. A scatter of rows whose surroundings are others is
// left out.
std::vector<RowUpdate> row_updates_in(const ir::Function& function, const ir::Block& block,
                                      const std::function<bool(ir::ValueId)>& is_split);

// A gather of whole rows by the first axis: the axes of the indices, then those of a row.
bool gathers_rows(const ir::Function& function, const ir::Op& op);

}  // namespace passes
}  // namespace systolic::inline v0
