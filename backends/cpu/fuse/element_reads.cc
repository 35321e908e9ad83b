#include "backends/cpu/fuse/element_reads.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

void add_reads(const Planner& planner, const Group& group, ElementReads& reads) {
  const Shape& space = planner.type(group.ops[0]->results[0]).shape;
  const size_t ops = group.ops.size() - (group.reduces ? 1 : 0);
  for (size_t i = 0; i < ops; ++i) {
    for (ir::ValueId operand : group.ops[i]->operands) {
      if (planner.type(operand).shape == space) ++reads[operand];
    }
  }
}

}  // namespace

ElementReads element_reads(const Planner& planner, const std::vector<Group>& groups) {
  ElementReads reads;
  for (const Group& group : groups) {
    if (group.elementwise) add_reads(planner, group, reads);
  }
  return reads;
}

}  // namespace cpu
}  // namespace systolic::inline v0
