// Which ops of a block run together as one step.
//
// Elementwise ops of one shape gather in a cluster, which becomes one fused kernel. A cluster is
// open until somebody outside reads one of its values; it runs where its last op stood, so that no
// cycle can arise. A reduction that alone reads a cluster joins it at its end. A matrix product
// that only one cluster reads, as it lies, joins it at its beginning: a gradient and the
// optimizer's update, a product and its activation. A scatter of rows that only clusters read is
// summed by each of them, row by row: the gradient of an embedding is never stored. Nor are random
// bits that one cluster alone reads: it draws them. Weights that are rounded for products alone are
// rounded as these pack them.
#pragma once

#include <optional>
#include <vector>

#include "backends/cpu/fuse/pattern.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct Group {
  // One op, of no kernel of its own.
  bool is_plain_op() const { return ops.size() == 1 && !elementwise && !pattern; }

  // In program order. Elementwise ops and then, where `reduces`, one reduce; a pattern's; or any
  // one op.
  std::vector<const ir::Op*> ops;
  bool elementwise = false;  // a cluster, to be lowered as a tile program
  bool reduces = false;
  const ir::Op* product = nullptr;      // of an elementwise group: its result is read by rows
  bool row_sums = false;                // a scatter whose readers sum its rows
  bool drawn = false;                   // random bits whose reader draws them
  bool left_to_readers = false;         // a rounding that the products that read it may do
  std::optional<Pattern> pattern = {};  // has a kernel of its own
  bool early = false;                   // need not wait for its turn (early_updates.h)
  int position = 0;                     // of the last op in the block
};

// How often the group's elementwise ops read the value.
int element_reads(const Group& group, ir::ValueId value);

// The groups in an order in which they can run. Views and constants are in none.
std::vector<Group> group_ops(const Planner& planner, const ir::Block& block);

// Whether the fused kernels can compute this op.
bool is_fusible(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
