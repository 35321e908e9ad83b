#include "systolic/passes/partition/partitioner.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

Partitioner::Partitioner(const ir::Function& source, int64_t processes, ir::Function& target,
                         const ir::Module& module)
    : source_(source),
      processes_(processes),
      target_(target),
      builder_(target, &module),
      cuts_(source.types.size(), no_cut),
      held_(source.types.size(), ir::no_value),
      producers_(source.types.size(), nullptr) {
  find_producers(source.body);
}

void Partitioner::find_producers(const Block& block) {
  for (const Op& op : block.ops) {
    for (ValueId result : op.results) producers_[static_cast<size_t>(result)] = &op;
    for (const Block& region : op.regions) find_producers(region);
  }
}

ir::Type Partitioner::type(ValueId value, int cut) const {
  ir::Type type = source_.type(value);
  if (cut != no_cut) type.shape.set(cut, type.shape[cut] / processes_);
  return type;
}

bool Partitioner::divides(ValueId value, int axis) const {
  const int64_t size = source_.type(value).shape[axis];
  return size > 0 && size % processes_ == 0;
}

void Partitioner::set(ValueId value, Value target, int cut) {
  cuts_[static_cast<size_t>(value)] = cut;
  held_[static_cast<size_t>(value)] = target.id();
}

// The factor by which most bytes are cut already.
OpPlan Partitioner::plan(const Op& op) const {
  OpPlan plan{std::vector<int>(op.operands.size(), no_cut),
              std::vector<int>(op.results.size(), no_cut)};
  int64_t most = 0;
  for (Factor& factor : factors_of(source_, op)) {
    int64_t bytes = 0;
    bool fits = true;
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const int axis = factor.operands[i];
      if (axis == no_cut) continue;
      fits = fits && divides(op.operands[i], axis);
      if (cut(op.operands[i]) == axis) bytes += source_.type(op.operands[i]).bytes();
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (factor.results[i] != no_cut) fits = fits && divides(op.results[i], factor.results[i]);
    }
    if (!fits || bytes <= most) continue;
    most = bytes;
    plan = {std::move(factor.operands), std::move(factor.results), factor.folds};
  }
  return plan;
}

void Partitioner::convert(const Block& block) {
  for (const Op& op : block.ops) convert(op);
}

void Partitioner::convert(const Op& op) {
  builder_.location = op.location;
  builder_.layer_path = op.layer_path;
  current_ = &op;
  switch (op.code) {
    case OpCode::while_:
      return convert_while(op);
    case OpCode::if_:
    case OpCode::case_:
      return convert_branches(op);
    case OpCode::optimization_barrier:
      return convert_barrier(op);
    default:
      break;
  }
  if (ir::info(op.code).family == ir::OpFamily::collective) {
    raise<InvalidArgument>({.what = str("a program over whole arrays has a ",
                                        ir::info(op.code).name, ", which works between cores"),
                            .location = op.location});
  }
  emit(op, plan(op));
}

void Partitioner::convert_barrier(const Op& op) {
  std::vector<Value> operands;
  for (ValueId operand : op.operands) operands.push_back(get(operand, cut(operand)));
  const std::vector<Value> results = optimization_barrier(operands);
  for (size_t i = 0; i < results.size(); ++i) set(op.results[i], results[i], cut(op.operands[i]));
}

void Partitioner::emit(const Op& op, const OpPlan& plan) {
  if (plan.folds) return set(op.results[0], put_together(op, plan), no_cut);
  std::vector<Value> operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(get(op.operands[i], plan.operands[i]));
  }
  const std::vector<Value> results = append(op, plan, operands);
  for (size_t i = 0; i < results.size(); ++i) set(op.results[i], results[i], plan.results[i]);
}

std::vector<Value> Partitioner::append(const Op& op, const OpPlan& plan,
                                       std::span<const Value> operands) {
  std::vector<ir::Type> types;
  for (size_t i = 0; i < op.results.size(); ++i) {
    types.push_back(type(op.results[i], plan.results[i]));
  }
  return builder_.append(op.code, operands, cut_attributes(op, plan, processes_), copy_regions(op),
                         std::move(types));
}

// Each process folds its part, beginning with what changes nothing; what the op begins with joins
// the sum of the parts.
Value Partitioner::put_together(const Op& op, const OpPlan& plan) {
  std::vector<Value> operands;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(get(op.operands[i], plan.operands[i]));
  }
  if (op.code == OpCode::dot_general || op.code == OpCode::convolution) {
    return all_reduce(append(op, plan, operands)[0], OpCode::add);
  }
  ensure(op.code == OpCode::reduce || op.code == OpCode::scatter, "an op that folds has no rule");
  const OpCode code = *ir::fold_op(op.regions[0]);
  const size_t first = op.code == OpCode::reduce ? 1 : 0;
  const Value beginning = operands[first];
  operands[first] = broadcast_to(builder_.constant(ir::fold_identity(code, beginning.dtype())),
                                 beginning.shape());
  const Value sum = all_reduce(append(op, plan, operands)[0], code);
  return ir::binary(code, broadcast_to(beginning, sum.shape()), sum);
}

std::vector<Block> Partitioner::copy_regions(const Op& op) {
  if (op.regions.empty()) return {};
  // A copy of the whole op in a block of its own, of which the regions are taken. What they read
  // from outside is whole: they work on single elements.
  Op shell;
  shell.code = op.code;
  shell.regions = op.regions;
  ir::ValueMap map(source_.types.size());
  for (ValueId read : ir::values_read(shell)) map.set(read, whole(read).id());
  Block scratch;
  ir::clone_op(shell, source_, target_, scratch, map);
  return std::move(scratch.ops[0].regions);
}

namespace {

// Sizes along the cut axes become those of a piece.
void cut_size(ir::Axes& sizes, int axis, int64_t processes) {
  if (axis != no_cut) sizes[static_cast<size_t>(axis)] /= processes;
}

}  // namespace

ir::Attributes cut_attributes(const Op& op, const OpPlan& plan, int64_t processes) {
  ir::Attributes attributes = op.attributes;
  switch (op.code) {
    case OpCode::slice:
      cut_size(std::get<ir::SliceAttributes>(attributes).limit_indices, plan.results[0], processes);
      break;
    case OpCode::dynamic_slice:
      cut_size(std::get<ir::DynamicSliceAttributes>(attributes).slice_sizes, plan.results[0],
               processes);
      break;
    case OpCode::gather: {
      auto& a = std::get<ir::GatherAttributes>(attributes);
      // A batching axis has slices of one, cut or not.
      const bool is_batching =
          std::find(a.operand_batching_dims.begin(), a.operand_batching_dims.end(),
                    plan.operands[0]) != a.operand_batching_dims.end();
      if (!is_batching) cut_size(a.slice_sizes, plan.operands[0], processes);
      break;
    }
    default:
      break;
  }
  return attributes;
}

}  // namespace passes
}  // namespace systolic::inline v0
