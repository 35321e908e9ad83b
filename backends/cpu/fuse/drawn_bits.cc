#include "backends/cpu/fuse/drawn_bits.h"

#include <unordered_map>

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool draws_words(const Planner& planner, const ir::Op& op) {
  return op.code == ir::OpCode::rng_bit_generator &&
         op.get<ir::RngAttributes>().algorithm != ir::RngAlgorithm::three_fry &&
         planner.type(op.results[1]).dtype == DType::u32;
}

// What the bits are called by those who read them, after ops that keep their positions.
ir::ValueId as_read(const Planner& planner, ir::ValueId bits) {
  while (const ir::Op* reader = planner.only_reader(bits)) {
    if (!keeps_positions(planner, *reader)) break;
    bits = reader->results[0];
  }
  return bits;
}

}  // namespace

void find_drawn_bits(const Planner& planner, std::vector<Group>& groups) {
  std::unordered_map<ir::ValueId, Group*> draws;  // by what is read of them
  for (Group& group : groups) {
    if (!group.is<PlainOp>() || !draws_words(planner, *group.ops[0])) continue;
    const ir::ValueId bits = as_read(planner, group.ops[0]->results[1]);
    draws[bits] = &group;
    if (planner.uses(bits) == 0) group.kind = DrawnByReaders{};
  }
  if (draws.empty()) return;
  for (const Group& group : groups) {
    if (!is_cluster(group)) continue;
    const Shape& space = planner.type(group.ops[0]->results[0]).shape;
    for (const ir::Op* op : elementwise_ops(group)) {
      for (ir::ValueId operand : op->operands) {
        const auto found = draws.find(operand);
        if (found == draws.end() || planner.type(operand).shape != space) continue;
        if (element_reads(group, operand) == planner.uses(operand)) {
          found->second->kind = DrawnByReaders{};
        }
      }
    }
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
