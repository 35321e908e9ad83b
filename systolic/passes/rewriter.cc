#include "systolic/passes/rewriter.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Function;
using ir::Module;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

Rewriter::Rewriter(const Function& source, Function& target, const Module& module,
                   std::span<const RewriteRule> rules)
    : source_(source),
      target_(target),
      builder_(std::in_place, target, &module),
      rules_(rules),
      map_(source.types.size()) {}

Module Rewriter::run(const Module& module, std::span<const RewriteRule> rules) {
  Module result;
  result.name = module.name;
  result.num_replicas = module.num_replicas;
  result.num_partitions = module.num_partitions;
  result.functions.resize(module.functions.size());
  for (size_t i = 0; i < module.functions.size(); ++i) {
    result.functions[i].name = module.functions[i].name;
    Rewriter(module.functions[i], result.functions[i], result, rules).rewrite_function();
  }
  return result;
}

void Rewriter::rewrite_function() {
  for (size_t i = 0; i < source_.arguments.size(); ++i) {
    const ValueId argument = source_.body.arguments[i];
    map_.set(argument, builder_->argument(source_.type(argument), source_.arguments[i]).id());
  }
  rewrite(source_.body);
  for (size_t i = 0; i < source_.results.size(); ++i) {
    builder_->result(value(map_.at(source_.body.results[i])), source_.results[i]);
  }
}

void Rewriter::rewrite(const Block& block) {
  for (const Op& op : block.ops) rewrite(op);
}

void Rewriter::note_producers(size_t first) {
  producers_.resize(target_.types.size(), nullptr);
  const std::vector<Op>& ops = builder_->block().ops;
  for (size_t i = first; i < ops.size(); ++i) {
    Op& copy = known_.emplace_back();
    copy.code = ops[i].code;
    copy.operands = ops[i].operands;
    copy.results = ops[i].results;
    copy.attributes = ops[i].attributes;
    for (ValueId result : copy.results) producers_[static_cast<size_t>(result)] = &copy;
  }
}

void Rewriter::rewrite(const Op& op) {
  builder_->location = op.location;
  builder_->layer_path = op.layer_path;
  const size_t first = builder_->block().ops.size();
  Op moved;
  moved.code = op.code;
  moved.attributes = op.attributes;
  for (ValueId operand : op.operands) moved.operands.push_back(map_.at(operand));
  if (op.regions.empty() && op.results.size() == 1) {
    for (const RewriteRule rule : rules_) {
      const std::optional<Value> found = rule(*this, moved, source_.type(op.results[0]));
      if (!found) continue;
      map_.set(op.results[0], found->id());
      note_producers(first);
      return;
    }
  }
  moved.location = op.location;
  moved.layer_path = op.layer_path;
  for (const Block& region : op.regions) {
    std::vector<ir::Type> types;
    for (ValueId argument : region.arguments) types.push_back(source_.type(argument));
    moved.regions.push_back(builder_->region(types, [&](std::span<const Value> arguments) {
      for (size_t i = 0; i < arguments.size(); ++i) {
        map_.set(region.arguments[i], arguments[i].id());
      }
      rewrite(region);
      std::vector<Value> results;
      for (ValueId result : region.results) results.push_back(value(map_.at(result)));
      return results;
    }));
  }
  for (ValueId result : op.results) {
    moved.results.push_back(target_.new_value(source_.type(result)));
    map_.set(result, moved.results.back());
  }
  builder_->block().ops.push_back(std::move(moved));
  note_producers(first);
}

const Op* Rewriter::producer(ValueId value) const {
  const auto i = static_cast<size_t>(value);
  return i < producers_.size() ? producers_[i] : nullptr;
}

const Op* Rewriter::producer(ValueId value, OpCode code) const {
  const Op* op = producer(value);
  return op != nullptr && op->code == code ? op : nullptr;
}

const Literal* Rewriter::constant(ValueId value) const {
  const Op* op = producer(value, OpCode::constant);
  return op == nullptr ? nullptr : &op->get<ir::ConstantAttributes>().value;
}

std::optional<double> Rewriter::uniform_number(ValueId value) const {
  while (const Op* op = producer(value, OpCode::broadcast_in_dim)) value = op->operands[0];
  const Literal* literal = constant(value);
  if (literal == nullptr || literal->size() == 0 || is_complex(literal->dtype())) {
    return std::nullopt;
  }
  // Exact in a double only up to 2^53: other numbers are not identities anyway.
  const double number = literal->number_at(0);
  for (int64_t i = 1; i < literal->size(); ++i) {
    if (literal->number_at(i) != number) return std::nullopt;
    if (i > 64) return std::nullopt;
  }
  return number;
}

}  // namespace passes
}  // namespace systolic::inline v0
