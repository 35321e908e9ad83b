#include "systolic/passes/share_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "systolic/ir/clone.h"
#include "systolic/ir/region.h"
#include "systolic/passes/mixed_hash.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Op;
using ir::OpCode;
using ir::ValueId;

// Numbers for values: equal numbers where equal ops make them of equal values.
class Numbering {
 public:
  explicit Numbering(const Function& function) : function_(function) {}

  void set_arguments(const Block& block, const std::vector<int>& numbers) {
    for (size_t i = 0; i < numbers.size(); ++i) numbers_[block.arguments[i]] = numbers[i];
    for (int number : numbers) next_ = std::max(next_, number + 1);
  }
  void visit(const Block& block) {
    for (const Op& op : block.ops) visit(op);
  }
  // A value from outside of the blocks equals itself alone.
  int of(ValueId value) {
    const auto place = numbers_.try_emplace(value, next_);
    if (place.second) ++next_;
    return place.first->second;
  }

 private:
  struct Entry {
    const Op* op;
    std::vector<int> operands;
  };

  void visit(const Op& op) {
    Entry entry{&op, {}};
    size_t hash = static_cast<size_t>(op.code);
    for (ValueId operand : op.operands) {
      entry.operands.push_back(of(operand));
      hash = mixed_hash(hash, static_cast<uint64_t>(entry.operands.back()));
    }
    std::vector<Entry>& alike = entries_[hash];
    for (const Entry& known : alike) {
      if (!equal(known, entry)) continue;
      for (size_t i = 0; i < op.results.size(); ++i) {
        numbers_[op.results[i]] = numbers_[known.op->results[i]];
      }
      return;
    }
    for (ValueId result : op.results) numbers_[result] = next_++;
    const bool is_one_of_many = op.regions.empty() && op.code != OpCode::optimization_barrier;
    if (is_one_of_many) alike.push_back(std::move(entry));
  }

  bool equal(const Entry& a, const Entry& b) const {
    const auto same_type = [&](ValueId x, ValueId y) {
      return function_.type(x) == function_.type(y);
    };
    return a.op->code == b.op->code && a.operands == b.operands && b.op->regions.empty() &&
           std::equal(a.op->results.begin(), a.op->results.end(), b.op->results.begin(),
                      b.op->results.end(), same_type) &&
           a.op->attributes == b.op->attributes;
  }

  const Function& function_;
  std::unordered_map<ValueId, int> numbers_;
  std::unordered_map<size_t, std::vector<Entry>> entries_;
  int next_ = 0;
};

// The classes of the values that two loops carry: those of a class are equal in every trip.
struct Carried {
  std::vector<int> first, second;
};

// Puts each value into the class of what tells it apart; returns how many classes there are.
template <class Key>
int classify(const std::vector<Key>& first, const std::vector<Key>& second, Carried& classes) {
  std::map<Key, int> known;
  const auto class_of = [&](const Key& key) {
    return known.try_emplace(key, static_cast<int>(known.size())).first->second;
  };
  for (size_t k = 0; k < first.size(); ++k) classes.first[k] = class_of(first[k]);
  for (size_t j = 0; j < second.size(); ++j) classes.second[j] = class_of(second[j]);
  return static_cast<int>(known.size());
}

// What a trip makes of each carried value, beside the class that it was in.
std::vector<std::pair<int, int>> after_a_trip(Numbering& numbering, const Block& body,
                                              const std::vector<int>& classes) {
  std::vector<std::pair<int, int>> keys;
  for (size_t k = 0; k < classes.size(); ++k) {
    keys.emplace_back(classes[k], numbering.of(body.results[k]));
  }
  return keys;
}

// Begins with classes of equal starts and divides those that a trip makes differ, until none does.
Carried carried_by(const Function& function, const Op& first, const Op& second) {
  Carried classes{.first = std::vector<int>(first.operands.size()),
                  .second = std::vector<int>(second.operands.size())};
  int count = classify(first.operands, second.operands, classes);
  const Block &body = first.regions[1], &other = second.regions[1];
  for (int before = 0; before != count;) {
    before = count;
    Numbering numbering(function);
    numbering.set_arguments(body, classes.first);
    numbering.set_arguments(other, classes.second);
    numbering.visit(body);
    numbering.visit(other);
    const auto keys = after_a_trip(numbering, body, classes.first);
    const auto others = after_a_trip(numbering, other, classes.second);
    count = classify(keys, others, classes);
  }
  return classes;
}

// Whether both loops go on or end together.
bool same_condition(const Function& function, const Op& first, const Op& second,
                    const Carried& classes) {
  Numbering numbering(function);
  numbering.set_arguments(first.regions[0], classes.first);
  numbering.set_arguments(second.regions[0], classes.second);
  numbering.visit(first.regions[0]);
  numbering.visit(second.regions[0]);
  return numbering.of(first.regions[0].results[0]) == numbering.of(second.regions[0].results[0]);
}

class LoopSharer {
 public:
  explicit LoopSharer(Function& function) : function_(function) {}

  void visit(Block& block) {
    for (Op& op : block.ops) {
      for (Block& region : op.regions) visit(region);
    }
    for (size_t i = 0; i < block.ops.size(); ++i) {
      if (is_pure_loop(block.ops[i])) share(block, i);
    }
  }

 private:
  static bool is_pure_loop(const Op& op) {
    return op.code == OpCode::while_ && !ir::has_side_effect(op);
  }

  // Looks for a later loop that does what ops[i] does.
  void share(Block& block, size_t i) {
    for (size_t j = i + 1; j < block.ops.size(); ++j) {
      if (!is_pure_loop(block.ops[j])) continue;
      const auto same = results_in(block, block.ops[i], block.ops[j]);
      if (!same) continue;
      const auto needed = needed_by(block, i, j);
      if (!needed) continue;
      move_before(block, i, j, *needed);
      replace(block, *same);
      return;
    }
  }

  using Same = std::unordered_map<ValueId, ValueId>;

  // For each result of `first` that is read the one of `second` that equals it.
  std::optional<Same> results_in(const Block& block, const Op& first, const Op& second) const {
    if (!starts_in(first, second)) return std::nullopt;
    const Carried classes = carried_by(function_, first, second);
    if (!same_condition(function_, first, second, classes)) return std::nullopt;
    const std::unordered_set<ValueId> read = read_in(block);
    Same same;
    for (size_t k = 0; k < first.results.size(); ++k) {
      if (!read.contains(first.results[k])) continue;
      const auto& others = classes.second;
      const auto j = std::find(others.begin(), others.end(), classes.first[k]) - others.begin();
      if (j == std::ssize(others)) return std::nullopt;
      same[first.results[k]] = second.results[static_cast<size_t>(j)];
    }
    return same;
  }

  // Whether the loops share a start at all: most that do not belong together do not.
  static bool starts_in(const Op& first, const Op& second) {
    return std::any_of(first.operands.begin(), first.operands.end(), [&](ValueId start) {
      return std::count(second.operands.begin(), second.operands.end(), start) > 0;
    });
  }

  static std::unordered_set<ValueId> read_in(const Block& block) {
    std::unordered_set<ValueId> read(block.results.begin(), block.results.end());
    for (const Op& op : block.ops) {
      for (ValueId value : ir::values_read(op)) read.insert(value);
    }
    return read;
  }

  // Which ops between i and j the loop at j needs; nothing where one of them needs the loop at i,
  // or may not move.
  static std::optional<std::vector<bool>> needed_by(const Block& block, size_t i, size_t j) {
    std::unordered_set<ValueId> wanted;
    std::vector<bool> needed(j - i, false);
    const auto add_operands = [&](const Op& op) {
      for (ValueId value : ir::values_read(op)) wanted.insert(value);
    };
    add_operands(block.ops[j]);
    for (size_t at = j; at-- > i;) {
      const Op& op = block.ops[at];
      const bool is_wanted = std::any_of(op.results.begin(), op.results.end(),
                                         [&](ValueId value) { return wanted.contains(value); });
      if (!is_wanted) continue;
      if (at == i || ir::has_side_effect(op)) return std::nullopt;
      needed[at - i] = true;
      add_operands(op);
    }
    return needed;
  }

  // The loop at j and what it needs take the place of the loop at i.
  static void move_before(Block& block, size_t i, size_t j, const std::vector<bool>& needed) {
    const auto at = [&](size_t k) { return block.ops.begin() + static_cast<std::ptrdiff_t>(k); };
    std::vector<Op> moved, rest;
    for (size_t k = i + 1; k < j; ++k) {
      (needed[k - i] ? moved : rest).push_back(std::move(block.ops[k]));
    }
    moved.push_back(std::move(block.ops[j]));
    moved.insert(moved.end(), std::make_move_iterator(rest.begin()),
                 std::make_move_iterator(rest.end()));
    std::move(moved.begin(), moved.end(), at(i));
    block.ops.erase(at(j));
  }

  static void replace(Block& block, const Same& same) {
    const auto renamed = [&](std::vector<ValueId>& values) {
      for (ValueId& value : values) {
        const auto found = same.find(value);
        if (found != same.end()) value = found->second;
      }
    };
    renamed(block.results);
    for (Op& op : block.ops) {
      renamed(op.operands);
      for (Block& region : op.regions) replace(region, same);
    }
  }

  Function& function_;
};

}  // namespace

ir::Module share_loops(ir::Module module) {
  for (Function& function : module.functions) LoopSharer(function).visit(function.body);
  return module;
}

}  // namespace passes
}  // namespace systolic::inline v0
