#include "systolic/passes/stack/stacker.h"

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

namespace {

// Ops that the rule must see even if all they read is uniform.
bool names_cores(OpCode code) {
  return ir::info(code).family == ir::OpFamily::collective || code == OpCode::replica_id ||
         code == OpCode::partition_id;
}

// Puts a core's number in place of the ops that ask for it.
void name_core(Block& block, int64_t core) {
  for (Op& op : block.ops) {
    if (op.code == OpCode::replica_id || op.code == OpCode::partition_id) {
      const int64_t id = op.code == OpCode::replica_id ? core : 0;
      op.attributes = ir::ConstantAttributes{Literal::scalar(static_cast<uint32_t>(id))};
      op.code = OpCode::constant;
    }
    for (Block& region : op.regions) name_core(region, core);
  }
}

}  // namespace

Stacker::Stacker(const ir::Function& source, const StackAnalysis& analysis, int64_t cores,
                 ir::Function& target, const ir::Module& module)
    : source_(source),
      analysis_(analysis),
      cores_(cores),
      target_(target),
      builder_(target, &module),
      map_(source.types.size()),
      uses_(source.types.size(), 0),
      producers_(source.types.size(), nullptr) {
  count_uses(source.body);
  find_producers(source.body);
}

void Stacker::count_uses(const Block& block) {
  for (const Op& op : block.ops) {
    for (ValueId operand : op.operands) ++uses_[static_cast<size_t>(operand)];
    for (const Block& region : op.regions) count_uses(region);
  }
  for (ValueId result : block.results) ++uses_[static_cast<size_t>(result)];
}

void Stacker::find_producers(const Block& block) {
  for (const Op& op : block.ops) {
    for (ValueId result : op.results) producers_[static_cast<size_t>(result)] = &op;
    for (const Block& region : op.regions) find_producers(region);
  }
}

ir::Type Stacker::with_cores(const ir::Type& type) const {
  return {type.dtype, type.shape.with_inserted(0, cores_)};
}

Value Stacker::repeat(Value uniform, int64_t times) {
  ir::Axes dimensions;
  for (int axis = 0; axis < uniform.rank(); ++axis) dimensions.push_back(axis + 1);
  return broadcast_in_dim(uniform, uniform.shape().with_inserted(0, times), std::move(dimensions));
}

bool Stacker::any_stacked(std::span<const ValueId> values) const {
  return std::any_of(values.begin(), values.end(), [&](ValueId value) { return stacked(value); });
}

Value Stacker::get_stacked(ValueId value) {
  return stacked(value) ? get(value) : repeat(get(value), cores_);
}

std::vector<Value> Stacker::get_all_stacked(std::span<const ValueId> values) {
  std::vector<Value> result;
  for (ValueId value : values) result.push_back(get_stacked(value));
  return result;
}

void Stacker::set(ValueId value, Value target, bool is_stacked) {
  ensure(stacked(value) || !is_stacked, "a value is stacked where it was thought uniform");
  const bool repeats = stacked(value) && !is_stacked;
  map_.set(value, (repeats ? repeat(target, cores_) : target).id());
}

void Stacker::convert(const Block& block) {
  for (const Op& op : block.ops) convert(op);
}

void Stacker::convert(const Op& op) {
  builder_.location = op.location;
  builder_.layer_path = op.layer_path;
  bool differs = names_cores(op.code) || any_stacked(ir::values_read(op)) ||
                 ir::has_side_effect_on_each_core(op);
  for (const Block& region : op.regions) {
    ir::for_each_op(region, [&](const Op& inner) { differs = differs || names_cores(inner.code); });
  }
  // In a masked part even a loop over uniform values must stop for cores that are not there.
  differs = differs || (op.code == OpCode::while_ && analysis_.diverges(op));
  if (!differs) return copy(op);
  const bool scalar_regions = !op.regions.empty() &&
                              ir::info(op.code).family != ir::OpFamily::control &&
                              ir::info(op.code).family != ir::OpFamily::collective;
  if (scalar_regions && analysis_.regions_differ(op)) return unroll(op);
  const StackRule rule = stack_rule(op.code);
  ensure(rule != nullptr, "an op without operands is stacked");
  rule(*this, op);
}

void Stacker::copy(const Op& op) { ir::clone_op(op, source_, target_, builder_.block(), map_); }

std::vector<Block> Stacker::copy_regions(const Op& op) {
  // A copy of the whole op in a block of its own, of which the regions are taken.
  Op shell;
  shell.code = op.code;
  shell.regions = op.regions;
  Block scratch;
  ir::clone_op(shell, source_, target_, scratch, map_);
  return std::move(scratch.ops[0].regions);
}

std::vector<Value> Stacker::on_core(const Op& op, int64_t core) {
  ir::ValueMap map = map_;
  for (ValueId value : ir::values_read(op)) {
    if (!stacked(value)) continue;
    const Value mine = row(get(value), core);
    map.set(value, reshape(mine, mine.shape().without(0)).id());
  }
  ir::clone_op(op, source_, target_, builder_.block(), map);
  for (Block& region : builder_.block().ops.back().regions) name_core(region, core);
  std::vector<Value> results;
  for (ValueId result : op.results) results.push_back(builder_.value(map.at(result)));
  return results;
}

void Stacker::unroll(const Op& op) {
  unroll(op, [&](int64_t core) { return on_core(op, core); });
}

void Stacker::unroll(const Op& op, const std::function<std::vector<Value>(int64_t)>& run) {
  std::vector<std::vector<Value>> parts(op.results.size());
  for (int64_t core = 0; core < cores_; ++core) {
    const std::vector<Value> results = run(core);
    for (size_t i = 0; i < results.size(); ++i) {
      parts[i].push_back(reshape(results[i], results[i].shape().with_inserted(0, 1)));
    }
  }
  for (size_t i = 0; i < op.results.size(); ++i) set(op.results[i], concatenate(parts[i], 0), true);
}

void stack_unrolled(Stacker& s, const Op& op) { s.unroll(op); }

}  // namespace passes
}  // namespace systolic::inline v0
