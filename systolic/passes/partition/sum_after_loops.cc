#include "systolic/passes/partition/sum_after_loops.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "systolic/ir/builder/builder.h"
#include "systolic/ir/region.h"
#include "systolic/passes/eliminate_dead_code.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

using ir::Block;
using ir::Op;
using ir::OpCode;
using ir::ValueId;

// What is known of each value of a function.
class KnownValues {
 public:
  explicit KnownValues(const ir::Function& function)
      : uses_(function.types.size(), 0), definitions_(function.types.size(), nullptr) {
    visit(function.body);
  }

  int uses(ValueId value) const { return uses_[static_cast<size_t>(value)]; }
  // The op that makes it; null for arguments of the function and of regions.
  const Op* definition(ValueId value) const { return definitions_[static_cast<size_t>(value)]; }

  bool is_zero(ValueId value) const {
    const Op* op = definition(value);
    if (op == nullptr) return false;
    if (op->code == OpCode::broadcast_in_dim) return is_zero(op->operands[0]);
    if (op->code != OpCode::constant) return false;
    const Literal& literal = op->get<ir::ConstantAttributes>().value;
    const std::byte* bytes = literal.raw();
    return std::all_of(bytes, bytes + literal.byte_size(),
                       [](std::byte one) { return one == std::byte{}; });
  }

 private:
  void visit(const Block& block) {
    for (const Op& op : block.ops) {
      for (const ValueId operand : op.operands) ++uses_[static_cast<size_t>(operand)];
      for (const ValueId result : op.results) definitions_[static_cast<size_t>(result)] = &op;
      for (const Block& region : op.regions) visit(region);
    }
    for (const ValueId result : block.results) ++uses_[static_cast<size_t>(result)];
  }

  std::vector<int> uses_;
  std::vector<const Op*> definitions_;
};

void replace_uses(Block& block, ValueId from, ValueId to) {
  for (Op& op : block.ops) {
    std::replace(op.operands.begin(), op.operands.end(), from, to);
    for (Block& region : op.regions) replace_uses(region, from, to);
  }
  std::replace(block.results.begin(), block.results.end(), from, to);
}

// One value of a loop's state that only grows, by sums over the processes.
class GrowingSum {
 public:
  GrowingSum(const ir::Function& function, const KnownValues& values, const Op& loop, size_t i)
      : function_(function), values_(values), body_(loop.regions[1]) {
    const ValueId state = body_.arguments[i], next = body_.results[i];
    const Op* adds = in_body(next);
    if (adds == nullptr || adds->code != OpCode::add || values.uses(next) != 1) return;
    if (values.uses(state) != 1 || values.uses(loop.regions[0].arguments[i]) != 0) return;
    const bool first = adds->operands[0] == state, second = adds->operands[1] == state;
    if (first == second || !is_sum(adds->operands[first ? 1 : 0])) return;
    found_ = !sums_.empty();
  }

  bool found() const { return found_; }
  // The all_reduces of a round, all of them by addition.
  const std::vector<const Op*>& sums() const { return sums_; }

 private:
  // Where it is an op of the body itself, not of a branch or a loop within.
  const Op* in_body(ValueId value) const {
    const Op* op = values_.definition(value);
    const auto is_it = [&](const Op& one) { return &one == op; };
    return std::any_of(body_.ops.begin(), body_.ops.end(), is_it) ? op : nullptr;
  }

  // Whether the value is what the processes' values add up to, once its all_reduces are left out.
  bool is_sum(ValueId value) {
    if (values_.is_zero(value)) return true;
    const Op* op = in_body(value);
    if (op == nullptr || values_.uses(value) != 1) return false;
    switch (op->code) {
      case OpCode::all_reduce:
        return add_sum(*op);
      case OpCode::transpose:
      case OpCode::reshape:
      case OpCode::negate:
        return is_sum(op->operands[0]);
      case OpCode::add:
      case OpCode::subtract:
        return is_sum(op->operands[0]) && is_sum(op->operands[1]);
      case OpCode::multiply:
        return has_all_reduce(op->operands[0]) ? is_sum(op->operands[0]) : is_sum(op->operands[1]);
      case OpCode::divide:
        return is_float(function_.type(value).dtype) && is_sum(op->operands[0]);
      default:
        return false;
    }
  }

  bool add_sum(const Op& op) {
    if (op.operands.size() != 1 || ir::fold_op(op.regions[0]) != OpCode::add) return false;
    sums_.push_back(&op);
    return true;
  }

  // Which side of a product is a sum. Where both are, the other stays as it is, whole in all
  // processes.
  bool has_all_reduce(ValueId value) const {
    const Op* op = in_body(value);
    if (op == nullptr || values_.uses(value) != 1) return false;
    if (op->code == OpCode::all_reduce) return true;
    return std::any_of(op->operands.begin(), op->operands.end(),
                       [&](ValueId operand) { return has_all_reduce(operand); });
  }

  const ir::Function& function_;
  const KnownValues& values_;
  const Block& body_;
  std::vector<const Op*> sums_;
  bool found_ = false;
};

class LoopRewriter {
 public:
  explicit LoopRewriter(ir::Module& module)
      : function_(module.main()), builder_(function_, &module) {}

  void rewrite(Block& block) {
    for (size_t at = 0; at < block.ops.size(); ++at) {
      for (Block& region : block.ops[at].regions) rewrite(region);
      if (block.ops[at].code != OpCode::while_) continue;
      for (size_t i = 0; i < block.ops[at].results.size(); ++i) at = rewrite(block, at, i);
    }
  }

 private:
  // State `i` of the loop at this place; the loop's place afterwards.
  size_t rewrite(Block& block, size_t at, size_t i) {
    const KnownValues values(function_);
    const GrowingSum sum(function_, values, block.ops[at], i);
    if (!sum.found()) return at;
    const ValueId result = block.ops[at].results[i], start = block.ops[at].operands[i];
    builder_.location = block.ops[at].location;
    builder_.layer_path = block.ops[at].layer_path;
    leave_out(block.ops[at].regions[1], sum.sums());
    ValueId zero = ir::no_value;
    std::vector<Op> zeros =
        built([&] { zero = builder_.filled_like(builder_.value(start), 0).id(); });
    block.ops[at].operands[i] = zero;
    // What reads the result comes after the loop; then the ops that make it are put between.
    const ValueId total = function_.new_value(function_.type(result));
    replace_uses(block, result, total);
    std::vector<Op> ends = built([&] {
      const ir::Value all = ir::all_reduce(builder_.value(result), OpCode::add);
      ir::binary(OpCode::add, builder_.value(start), all);
    });
    ends.back().results[0] = total;
    insert(block, at + 1, std::move(ends));
    const size_t before = zeros.size();
    insert(block, at, std::move(zeros));
    return at + before;
  }

  // The operands take the place of these sums.
  static void leave_out(Block& body, const std::vector<const Op*>& sums) {
    std::vector<std::pair<ValueId, ValueId>> pairs;
    for (const Op* sum : sums) pairs.emplace_back(sum->results[0], sum->operands[0]);
    std::erase_if(body.ops, [&](const Op& op) {
      return std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
        return !op.results.empty() && op.results[0] == pair.first;
      });
    });
    for (const auto& [from, to] : pairs) replace_uses(body, from, to);
  }

  template <class Body>
  std::vector<Op> built(const Body& body) {
    Block block;
    builder_.within(block, body);
    return std::move(block.ops);
  }

  static void insert(Block& block, size_t at, std::vector<Op> ops) {
    block.ops.insert(block.ops.begin() + static_cast<std::ptrdiff_t>(at),
                     std::make_move_iterator(ops.begin()), std::make_move_iterator(ops.end()));
  }

  ir::Function& function_;
  ir::Builder builder_;
};

}  // namespace

ir::Module sum_after_loops(ir::Module module) {
  LoopRewriter(module).rewrite(module.main().body);
  return eliminate_dead_code(std::move(module));
}

}  // namespace passes
}  // namespace systolic::inline v0
