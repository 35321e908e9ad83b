#include "systolic/train/step/declared_input_ranges.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "systolic/trace/program/scratch_trace.h"
#include "systolic/trace/tensor_state.h"
#include "systolic/trace/trace.h"

namespace systolic::inline v0 {
namespace {

// The parameter of the program that `range.values` is, or is a part of, with other types or axes at
// most.
std::optional<InputRange> range_of_input(const ir::Function& function, const IntegerRange& range) {
  const ir::Block& block = function.body;
  InputRange found{.limit = range.limit, .layer = range.layer};
  ir::ValueId value = range.values.state()->value;
  for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
    if (op->results.size() != 1 || op->results[0] != value) continue;
    if (op->code == ir::OpCode::convert && is_float(function.type(op->operands[0]).dtype))
      found.cuts = found.cuts || is_integer(function.type(value).dtype);
    const bool moves = op->code == ir::OpCode::reshape || op->code == ir::OpCode::transpose;
    // The part of an input, in whose own axes it is known.
    const bool of_part = found.part.has_value();
    if (op->code == ir::OpCode::slice && !of_part) {
      found.part = op->get<ir::SliceAttributes>();
    } else if (op->code != ir::OpCode::convert && (!moves || of_part)) {
      return std::nullopt;
    }
    value = op->operands[0];
  }
  const auto argument = std::find(block.arguments.begin(), block.arguments.end(), value);
  if (argument == block.arguments.end()) return std::nullopt;
  found.input = static_cast<size_t>(argument - block.arguments.begin());
  return found;
}

}  // namespace

std::vector<InputRange> ranges_of(const std::vector<IntegerRange>& wanted, size_t inputs) {
  const ir::Function& function = Trace::current().builder().function();
  std::vector<InputRange> ranges;
  for (const IntegerRange& one : wanted) {
    const std::optional<InputRange> range = range_of_input(function, one);
    if (range && range->input < inputs) ranges.push_back(*range);
  }
  return ranges;
}

std::vector<InputRange> declared_input_ranges(const Network& network,
                                              const std::vector<ir::Type>& inputs) {
  std::vector<InputRange> ranges;
  infer_result_types(inputs, [&](const std::vector<Tensor>& xs) {
    ranges = ranges_of(network.lookups(xs), inputs.size());
    return std::vector<Tensor>{};
  });
  return ranges;
}

}  // namespace systolic::inline v0
