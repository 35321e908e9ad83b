#include "systolic/ir/clone.h"

#include <algorithm>
#include <unordered_set>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

ValueId mapped(const ValueMap& map, ValueId value) {
  ensure(map.contains(value), "a copied op reads a value that was not copied");
  return map.at(value);
}

Block clone_region(const Block& block, const Function& source, Function& target, ValueMap& map) {
  Block copy;
  for (ValueId argument : block.arguments) {
    copy.arguments.push_back(target.new_value(source.type(argument)));
    map.set(argument, copy.arguments.back());
  }
  copy.ops.reserve(block.ops.size());
  for (const Op& op : block.ops) clone_op(op, source, target, copy, map);
  for (ValueId result : block.results) copy.results.push_back(mapped(map, result));
  return copy;
}

}  // namespace

void clone_op(const Op& op, const Function& source, Function& target, Block& block, ValueMap& map) {
  Op copy;
  copy.code = op.code;
  copy.attributes = op.attributes;
  copy.location = op.location;
  copy.layer_path = op.layer_path;
  copy.operands.reserve(op.operands.size());
  for (ValueId operand : op.operands) copy.operands.push_back(mapped(map, operand));
  for (const Block& region : op.regions) {
    copy.regions.push_back(clone_region(region, source, target, map));
  }
  copy.results.reserve(op.results.size());
  for (ValueId result : op.results) {
    // By value: source and target may be one function, whose table grows here.
    Type type = source.type(result);
    copy.results.push_back(target.new_value(std::move(type)));
    map.set(result, copy.results.back());
  }
  block.ops.push_back(std::move(copy));
}

std::vector<ValueId> inline_function(const Function& source, std::span<const ValueId> arguments,
                                     Function& target, Block& block) {
  ensure(arguments.size() == source.body.arguments.size(),
         "a function is inlined with a different number of arguments than it takes");
  ValueMap map(source.types.size());
  for (size_t i = 0; i < arguments.size(); ++i) map.set(source.body.arguments[i], arguments[i]);
  for (const Op& op : source.body.ops) clone_op(op, source, target, block, map);
  std::vector<ValueId> results;
  for (ValueId result : source.body.results) results.push_back(mapped(map, result));
  return results;
}

namespace {

// Collects what the blocks read and define, in order.
struct Reads {
  std::unordered_set<ValueId> defined, seen;
  std::vector<ValueId> values;

  void read(ValueId value) {
    if (!defined.count(value) && seen.insert(value).second) values.push_back(value);
  }
  void walk(const Block& block) {
    defined.insert(block.arguments.begin(), block.arguments.end());
    for (const Op& op : block.ops) {
      for (ValueId operand : op.operands) read(operand);
      for (const Block& region : op.regions) walk(region);
      defined.insert(op.results.begin(), op.results.end());
    }
    for (ValueId result : block.results) read(result);
  }
};

}  // namespace

std::vector<ValueId> values_read(const Op& op) {
  if (op.regions.empty()) {
    std::vector<ValueId> values;
    for (ValueId operand : op.operands) {
      if (std::find(values.begin(), values.end(), operand) == values.end()) {
        values.push_back(operand);
      }
    }
    return values;
  }
  Reads reads;
  for (ValueId operand : op.operands) reads.read(operand);
  for (const Block& region : op.regions) reads.walk(region);
  return std::move(reads.values);
}

namespace {

// Copies blocks while putting callees in place of calls.
class Inliner {
 public:
  Inliner(const Module& module, Function& target) : module_(module), target_(target) {}

  void copy(const Block& from, const Function& source, Block& to, ValueMap& map) {
    for (const Op& op : from.ops) {
      if (op.code == OpCode::call) {
        inline_call(op, to, map);
      } else if (op.regions.empty()) {
        clone_op(op, source, target_, to, map);
      } else {
        copy_with_regions(op, source, to, map);
      }
    }
    for (ValueId result : from.results) to.results.push_back(mapped(map, result));
  }

 private:
  void copy_with_regions(const Op& op, const Function& source, Block& to, ValueMap& map) {
    Op shell = op;
    shell.regions.clear();
    clone_op(shell, source, target_, to, map);
    std::vector<Block> regions;
    for (const Block& region : op.regions) {
      Block& copied = regions.emplace_back();
      for (ValueId argument : region.arguments) {
        copied.arguments.push_back(target_.new_value(source.type(argument)));
        map.set(argument, copied.arguments.back());
      }
      copy(region, source, copied, map);
    }
    to.ops.back().regions = std::move(regions);
  }

  void inline_call(const Op& op, Block& to, ValueMap& map) {
    const std::string& name = op.get<CallAttributes>().callee;
    const Function* callee = module_.find(name);
    if (callee == nullptr) {
      raise<InvalidArgument>(
          {.what = str("call: there is no function '", name, "'"), .location = op.location});
    }
    if (std::find(active_.begin(), active_.end(), callee) != active_.end()) {
      raise<InvalidArgument>({.what = str("function '", name, "' calls itself"),
                              .hint = "use while_loop: a program has no recursion",
                              .location = op.location});
    }
    active_.push_back(callee);
    ValueMap inner(callee->types.size());
    for (size_t i = 0; i < op.operands.size(); ++i) {
      inner.set(callee->body.arguments[i], mapped(map, op.operands[i]));
    }
    Block scratch;
    scratch.ops.swap(to.ops);
    copy(callee->body, *callee, scratch, inner);
    scratch.ops.swap(to.ops);
    for (size_t i = 0; i < op.results.size(); ++i) map.set(op.results[i], scratch.results[i]);
    active_.pop_back();
  }

  const Module& module_;
  Function& target_;
  std::vector<const Function*> active_;
};

}  // namespace

Module inline_calls(const Module& module) {
  Module result;
  result.name = module.name;
  result.num_replicas = module.num_replicas;
  result.num_partitions = module.num_partitions;
  const Function& source = module.main();
  Function& target = result.functions.emplace_back();
  target.name = source.name;
  target.arguments = source.arguments;
  target.results = source.results;
  ValueMap map(source.types.size());
  for (ValueId argument : source.body.arguments) {
    target.body.arguments.push_back(target.new_value(source.type(argument)));
    map.set(argument, target.body.arguments.back());
  }
  Inliner(module, target).copy(source.body, source, target.body, map);
  return result;
}

}  // namespace ir
}  // namespace systolic::inline v0
