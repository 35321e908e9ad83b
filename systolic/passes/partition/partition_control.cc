// Branches and loops. What goes into a region, or comes out of it, is cut in the same way on all
// paths: first the region is followed without building anything, to learn how.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/passes/partition/partitioner.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

// Other forms of values that are made inside a region end with it.
class Partitioner::Scope {
 public:
  explicit Scope(Partitioner& partitioner)
      : partitioner_(partitioner), made_before_(partitioner.made_.size()) {}
  ~Scope() {
    auto& made = partitioner_.made_;
    for (size_t i = made_before_; i < made.size(); ++i) partitioner_.others_.erase(made[i]);
    made.resize(made_before_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Partitioner& partitioner_;
  size_t made_before_;
};

std::vector<int> Partitioner::trial(const Block& block) {
  for (const Op& op : block.ops) follow(op);
  std::vector<int> cuts;
  for (ValueId result : block.results) cuts.push_back(cut(result));
  return cuts;
}

void Partitioner::follow(const Op& op) {
  std::vector<int> cuts;
  if (op.code == OpCode::while_) {
    cuts = state_cuts(op);
  } else if (op.code == OpCode::if_ || op.code == OpCode::case_) {
    cuts = branch_cuts(op);
  } else if (op.code == OpCode::optimization_barrier) {
    for (ValueId operand : op.operands) cuts.push_back(cut(operand));
  } else {
    cuts = plan(op).results;
  }
  for (size_t i = 0; i < cuts.size(); ++i) cuts_[static_cast<size_t>(op.results[i])] = cuts[i];
}

// A result is cut as the first branch that cuts it does.
std::vector<int> Partitioner::branch_cuts(const Op& op) {
  std::vector<int> cuts(op.results.size(), no_cut);
  for (const Block& branch : op.regions) {
    const std::vector<int> own = trial(branch);
    for (size_t i = 0; i < cuts.size(); ++i) {
      if (cuts[i] == no_cut) cuts[i] = own[i];
    }
  }
  return cuts;
}

// The state is cut where it comes in cut, or where a turn leaves it so: until nothing changes,
// which ends, since a cut once made stays.
std::vector<int> Partitioner::state_cuts(const Op& op) {
  std::vector<int> cuts;
  for (ValueId operand : op.operands) cuts.push_back(cut(operand));
  const Block& body = op.regions[1];
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < cuts.size(); ++i) {
      cuts_[static_cast<size_t>(body.arguments[i])] = cuts[i];
    }
    const std::vector<int> next = trial(body);
    for (size_t i = 0; i < cuts.size(); ++i) {
      if (cuts[i] != no_cut || next[i] == no_cut) continue;
      cuts[i] = next[i];
      changed = true;
    }
  }
  return cuts;
}

Block Partitioner::region(const Block& block, std::span<const int> arguments,
                          std::span<const int> results) {
  std::vector<ir::Type> types;
  for (size_t i = 0; i < block.arguments.size(); ++i) {
    types.push_back(type(block.arguments[i], arguments[i]));
  }
  return builder_.region(types, [&](std::span<const Value> values) {
    const Scope scope(*this);
    for (size_t i = 0; i < values.size(); ++i) set(block.arguments[i], values[i], arguments[i]);
    convert(block);
    std::vector<Value> returned;
    for (size_t i = 0; i < block.results.size(); ++i) {
      returned.push_back(get(block.results[i], results[i]));
    }
    return returned;
  });
}

void Partitioner::convert_branches(const Op& op) {
  const std::vector<int> cuts = branch_cuts(op);
  const std::vector<Value> operands{whole(op.operands[0])};
  std::vector<Block> regions;
  for (const Block& branch : op.regions) regions.push_back(region(branch, {}, cuts));
  builder_.location = op.location;
  builder_.layer_path = op.layer_path;
  const std::vector<Value> results = builder_.append(op.code, operands, {}, std::move(regions));
  for (size_t i = 0; i < results.size(); ++i) set(op.results[i], results[i], cuts[i]);
}

void Partitioner::convert_while(const Op& op) {
  const std::vector<int> cuts = state_cuts(op);
  std::vector<Value> initial;
  for (size_t i = 0; i < cuts.size(); ++i) initial.push_back(get(op.operands[i], cuts[i]));
  std::vector<Block> regions;
  const int condition[] = {no_cut};
  regions.push_back(region(op.regions[0], cuts, condition));
  regions.push_back(region(op.regions[1], cuts, cuts));
  builder_.location = op.location;
  builder_.layer_path = op.layer_path;
  const std::vector<Value> results =
      builder_.append(OpCode::while_, initial, {}, std::move(regions));
  for (size_t i = 0; i < results.size(); ++i) set(op.results[i], results[i], cuts[i]);
}

}  // namespace passes
}  // namespace systolic::inline v0
