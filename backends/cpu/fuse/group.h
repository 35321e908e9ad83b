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

#include <span>
#include <variant>
#include <vector>

#include "backends/cpu/fuse/group_kind.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct Group {
  template <class Kind>
  bool is() const {
    return std::holds_alternative<Kind>(kind);
  }

  std::vector<const ir::Op*> ops;  // in program order
  GroupKind kind = PlainOp{};
  bool early = false;  // need not wait for its turn (early_updates.h)
  int position = 0;    // of the last op in the block
};

// Whether the group becomes a tile program, maybe with a reduction or a product.
bool is_cluster(const Group& group);

// The ops of a cluster's tile program; none of other groups.
std::span<const ir::Op* const> elementwise_ops(const Group& group);

// The product whose rows the group takes; null where it takes none.
const ir::Op* product_of(const Group& group);

// How often the group's elementwise ops read the value.
int element_reads(const Group& group, ir::ValueId value);

// What the group makes again instead of reading it, although one of its ops does; ir::no_value
// where there is none. Those who make it first need not store it for this.
ir::ValueId made_again(const Group& group);

// The groups in an order in which they can run. Views and constants are in none.
std::vector<Group> group_ops(const Planner& planner, const ir::Block& block);

// Whether the fused kernels can compute this op.
bool is_fusible(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
