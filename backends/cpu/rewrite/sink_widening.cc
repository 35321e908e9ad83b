#include "backends/cpu/rewrite/sink_widening.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "systolic/ir/clone.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool widens(const ir::Function& function, const ir::Op& op) {
  if (op.code != ir::OpCode::convert) return false;
  const DType from = function.type(op.operands[0]).dtype;
  return (from == DType::bf16 || from == DType::f16) &&
         function.type(op.results[0]).dtype == DType::f32;
}

void sink(const ir::Function& function, ir::Block& block) {
  const size_t end = block.ops.size();
  // For each value, the place of the first op of this block that reads it.
  std::vector<size_t> first_reader(function.types.size(), end);
  std::vector<std::pair<size_t, size_t>> order;  // where an op goes, and where it stands
  for (size_t i = end; i-- > 0;) {
    ir::Op& op = block.ops[i];
    for (ir::Block& region : op.regions) sink(function, region);
    size_t place = i;
    if (widens(function, op)) {
      const size_t reader = first_reader[static_cast<size_t>(op.results[0])];
      if (reader < end) place = reader;
    }
    for (ir::ValueId value : ir::values_read(op)) {
      size_t& first = first_reader[static_cast<size_t>(value)];
      first = std::min(first, place);
    }
    order.emplace_back(place, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<ir::Op> ops;
  ops.reserve(end);
  for (const auto& [place, from] : order) ops.push_back(std::move(block.ops[from]));
  block.ops = std::move(ops);
}

}  // namespace

void sink_widening(ir::Module& module) {
  for (ir::Function& function : module.functions) sink(function, function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
