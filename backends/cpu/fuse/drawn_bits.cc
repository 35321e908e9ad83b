#include "backends/cpu/fuse/drawn_bits.h"

#include "backends/cpu/fuse/element_reads.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// What the bits are called by the only op that reads them, behind reshapes.
ir::ValueId as_read(const Planner& planner, ir::ValueId bits) {
  while (const ir::Op* reader = planner.only_reader(bits)) {
    if (reader->code != ir::OpCode::reshape) break;
    bits = reader->results[0];
  }
  return bits;
}

bool draws_words(const Planner& planner, const ir::Op& op) {
  return op.code == ir::OpCode::rng_bit_generator &&
         op.get<ir::RngAttributes>().algorithm != ir::RngAlgorithm::three_fry &&
         planner.type(op.results[1]).dtype == DType::u32;
}

}  // namespace

void find_drawn_bits(const Planner& planner, std::vector<Group>& groups) {
  ElementReads reads = element_reads(planner, groups);
  for (Group& group : groups) {
    const bool alone = group.ops.size() == 1 && !group.elementwise && !group.pattern;
    if (!alone || !draws_words(planner, *group.ops[0])) continue;
    const ir::ValueId bits = as_read(planner, group.ops[0]->results[1]);
    group.drawn = planner.uses(bits) == 1 && reads[bits] == 1;
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
