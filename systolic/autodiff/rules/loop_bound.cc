#include <algorithm>
#include <limits>

#include "systolic/autodiff/rules/control.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Block;
using ir::Direction;
using ir::Op;
using ir::OpCode;
using ir::ValueId;

namespace {

const Op* find_producer(const Block& block, ValueId value) {
  for (const Op& op : block.ops) {
    if (std::find(op.results.begin(), op.results.end(), value) != op.results.end()) return &op;
  }
  return nullptr;
}

std::optional<size_t> argument_index(const Block& block, ValueId value) {
  const auto found = std::find(block.arguments.begin(), block.arguments.end(), value);
  if (found == block.arguments.end()) return std::nullopt;
  return static_cast<size_t>(found - block.arguments.begin());
}

// The numbers of one `while`.
class Loop {
 public:
  explicit Loop(const GradientRule& r)
      : rule_(r), op_(r.op()), condition_(op_.regions[0]), body_(op_.regions[1]) {}

  std::optional<LoopBound> bound() const {
    std::vector<ValueId> terms{condition_.results[0]};
    std::optional<LoopBound> best;
    size_t conditions = 0;
    while (!terms.empty()) {
      const Op* op = find_producer(condition_, terms.back());
      terms.pop_back();
      if (op != nullptr && op->code == OpCode::and_) {
        terms.insert(terms.end(), op->operands.begin(), op->operands.end());
        continue;
      }
      ++conditions;
      if (op == nullptr || op->code != OpCode::compare) continue;
      const std::optional<LoopBound> found = from_comparison(*op);
      if (found && (!best || found->trips < best->trips)) best = found;
    }
    if (best) best->exact = conditions == 1;
    return best;
  }

 private:
  bool carried_unchanged(size_t i) const { return body_.results[i] == body_.arguments[i]; }

  // The constant integer that a value of `block` (condition or body) is.
  std::optional<int64_t> constant(const Block& block, ValueId value) const {
    if (const auto argument = argument_index(block, value)) {
      if (!carried_unchanged(*argument)) return std::nullopt;
      return rule_.integer(op_.operands[*argument]);
    }
    const Op* op = find_producer(block, value);
    if (op == nullptr) return rule_.integer(value);
    if (op->code != OpCode::constant) return std::nullopt;
    const Literal& literal = op->get<ir::ConstantAttributes>().value;
    if (literal.size() != 1 || !is_integer(literal.dtype())) return std::nullopt;
    return literal.integer_at(0);
  }

  // What the body adds to argument i each time.
  std::optional<int64_t> step(size_t i) const {
    const Op* op = find_producer(body_, body_.results[i]);
    if (op == nullptr || (op->code != OpCode::add && op->code != OpCode::subtract)) {
      return std::nullopt;
    }
    const ValueId counter = body_.arguments[i];
    if (op->operands[0] == counter) {
      const auto number = constant(body_, op->operands[1]);
      if (!number || op->code == OpCode::add) return number;
      if (*number == std::numeric_limits<int64_t>::min()) return std::nullopt;
      return -*number;
    }
    if (op->operands[1] == counter && op->code == OpCode::add) {
      return constant(body_, op->operands[0]);
    }
    return std::nullopt;
  }

  std::optional<LoopBound> from_comparison(const Op& compare) const {
    Direction direction = compare.get<ir::CompareAttributes>().direction;
    ValueId left = compare.operands[0], right = compare.operands[1];
    auto counter = argument_index(condition_, left);
    if (!counter || carried_unchanged(*counter)) {
      std::swap(left, right);
      direction = mirrored(direction);
      counter = argument_index(condition_, left);
    }
    if (!counter) return std::nullopt;
    const auto limit = constant(condition_, right), by = step(*counter);
    const auto start = rule_.integer(op_.operands[*counter]);
    if (!limit || !by || !start) return std::nullopt;
    const auto trips = count(*start, *limit, *by, direction);
    if (!trips) return std::nullopt;
    return LoopBound{.trips = *trips, .counter = *counter, .start = *start, .step = *by};
  }

  static Direction mirrored(Direction direction) {
    switch (direction) {
      case Direction::lt:
        return Direction::gt;
      case Direction::le:
        return Direction::ge;
      case Direction::gt:
        return Direction::lt;
      case Direction::ge:
        return Direction::le;
      default:
        return direction;
    }
  }

  static std::optional<int64_t> count(int64_t start, int64_t limit, int64_t step,
                                      Direction direction) {
    const bool upwards = direction == Direction::lt || direction == Direction::le;
    const bool downwards = direction == Direction::gt || direction == Direction::ge;
    int64_t distance = 0;
    constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
    if (__builtin_sub_overflow(limit, start, &distance)) return std::nullopt;
    if (distance == lowest || step == lowest) return std::nullopt;
    if (direction == Direction::ne) {
      const bool meets = step != 0 && distance % step == 0 && distance / step >= 0;
      return meets ? std::optional(distance / step) : std::nullopt;
    }
    if ((upwards && step <= 0) || (downwards && step >= 0)) return std::nullopt;
    if (!upwards && !downwards) return std::nullopt;
    const int64_t way = upwards ? distance : -distance, size = upwards ? step : -step;
    const bool inclusive = direction == Direction::le || direction == Direction::ge;
    if (inclusive) return way < 0 ? 0 : way / size + 1;
    return way <= 0 ? 0 : (way - 1) / size + 1;
  }

  const GradientRule& rule_;
  const Op& op_;
  const Block &condition_, &body_;
};

}  // namespace

std::optional<LoopBound> loop_bound(const GradientRule& r) { return Loop(r).bound(); }

}  // namespace autodiff
}  // namespace systolic::inline v0
