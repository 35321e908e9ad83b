#include "systolic/passes/trip_count.h"

#include <algorithm>
#include <limits>

namespace systolic::inline v0 {
namespace passes {
namespace {

std::optional<int64_t> constant_of(const DefinitionOf& definition_of, ir::ValueId value) {
  const ir::Op* definition = definition_of(value);
  if (definition == nullptr || definition->code != ir::OpCode::constant) return std::nullopt;
  const Literal& literal = definition->get<ir::ConstantAttributes>().value;
  if (literal.shape().elements() != 1 || !is_integer(literal.dtype())) return std::nullopt;
  if (literal.dtype() == DType::u64) return std::nullopt;
  const Literal wide = literal.convert(DType::i64);
  return wide.data<int64_t>()[0];
}

std::optional<size_t> carried(const ir::Block& region, ir::ValueId value) {
  const auto found = std::find(region.arguments.begin(), region.arguments.end(), value);
  if (found == region.arguments.end()) return std::nullopt;
  return static_cast<size_t>(found - region.arguments.begin());
}

class Loop {
 public:
  Loop(const DefinitionOf& definition_of, const ir::Op& op)
      : definition_of_(definition_of), op_(op), condition_(op.regions[0]), body_(op.regions[1]) {}

  std::optional<int64_t> trips() const {
    const ir::Op* test = definition_of_(condition_.results[0]);
    if (test == nullptr || test->code != ir::OpCode::compare) return std::nullopt;
    const ir::Direction direction = test->get<ir::CompareAttributes>().direction;
    if (direction != ir::Direction::lt && direction != ir::Direction::le) return std::nullopt;
    const std::optional<size_t> counter = carried(condition_, test->operands[0]);
    if (!counter.has_value() || !grows_by_one(*counter)) return std::nullopt;
    const std::optional<int64_t> start = constant_of(definition_of_, op_.operands[*counter]);
    const std::optional<int64_t> end = limit(test->operands[1]);
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (!start || !end || *start < -most || *end > most) return std::nullopt;
    return std::max<int64_t>(0, *end - *start + (direction == ir::Direction::le ? 1 : 0));
  }

 private:
  bool grows_by_one(size_t counter) const {
    const ir::Op* next = definition_of_(body_.results[counter]);
    if (next == nullptr || next->code != ir::OpCode::add) return false;
    const auto is_it = [&](size_t i) {
      return next->operands[i] == body_.arguments[counter] &&
             constant_of(definition_of_, next->operands[1 - i]) == 1;
    };
    return is_it(0) || is_it(1);
  }

  // A constant, or a carried value that starts as one and stays.
  std::optional<int64_t> limit(ir::ValueId value) const {
    const std::optional<size_t> place = carried(condition_, value);
    if (!place.has_value()) return constant_of(definition_of_, value);
    if (body_.results[*place] != body_.arguments[*place]) return std::nullopt;
    return constant_of(definition_of_, op_.operands[*place]);
  }

  const DefinitionOf& definition_of_;
  const ir::Op& op_;
  const ir::Block &condition_, &body_;
};

}  // namespace

std::optional<int64_t> trip_count(const DefinitionOf& definition_of, const ir::Op& loop) {
  return Loop(definition_of, loop).trips();
}

}  // namespace passes
}  // namespace systolic::inline v0
