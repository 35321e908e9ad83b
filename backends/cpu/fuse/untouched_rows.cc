#include "backends/cpu/fuse/untouched_rows.h"

#include <unordered_map>

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;
using ir::ValueId;

// What an element is where the sums are zero.
struct Element {
  enum class Kind : uint8_t { unknown, zero, operand };
  Kind kind = Kind::unknown;
  ValueId operand = ir::no_value;  // the operand that it equals

  bool is_zero() const { return kind == Kind::zero; }
  bool operator==(const Element&) const = default;
};

constexpr Element zero{.kind = Element::Kind::zero};

// The elements of two operands give the result's.
Element combined(OpCode code, const Element& a, const Element& b) {
  switch (code) {
    case OpCode::add:
      if (b.is_zero()) return a;
      return a.is_zero() ? b : Element{};
    case OpCode::subtract:
      return b.is_zero() ? a : Element{};
    case OpCode::multiply:
      return a.is_zero() || b.is_zero() ? zero : Element{};
    case OpCode::divide:
      return a.is_zero() && !b.is_zero() ? zero : Element{};
    default:
      return {};
  }
}

class Elements {
 public:
  explicit Elements(const Planner& planner) : planner_(planner) {}

  Element of(ValueId value) {
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    return known_[value] = of_input(value);
  }

  void add(const ir::Op& op) { known_[op.results[0]] = made_by(op); }

  // The value whose rows are summed; ir::no_value where there are none or several.
  ValueId sums() const { return count_ == 1 ? sums_ : ir::no_value; }

 private:
  Element of_input(ValueId value) {
    if (planner_.held_as<RowSums>(value) != nullptr) {
      sums_ = value;
      ++count_;
      return zero;
    }
    const std::optional<Literal> number = planner_.splat(value);
    if (number && is_float(number->dtype()) && number->number_at(0) == 0) return zero;
    return {.kind = Element::Kind::operand, .operand = value};
  }

  Element made_by(const ir::Op& op) {
    switch (op.operands.size()) {
      case 1: {
        const bool odd = op.code == OpCode::negate || op.code == OpCode::sqrt ||
                         op.code == OpCode::abs || op.code == OpCode::sign;
        return odd && of(op.operands[0]).is_zero() ? zero : Element{};
      }
      case 2:
        return combined(op.code, of(op.operands[0]), of(op.operands[1]));
      case 3: {
        of(op.operands[0]);
        const Element on_true = of(op.operands[1]);
        const bool either = op.code == OpCode::select && on_true == of(op.operands[2]);
        return either ? on_true : Element{};
      }
      default:
        for (ValueId operand : op.operands) of(operand);
        return {};
    }
  }

  const Planner& planner_;
  std::unordered_map<ValueId, Element> known_;
  ValueId sums_ = ir::no_value;
  int count_ = 0;
};

}  // namespace

std::optional<UntouchedRows> untouched_rows(const Planner& planner,
                                            std::span<const ir::Op* const> ops,
                                            std::span<const ValueId> results) {
  Elements elements(planner);
  for (const ir::Op* op : ops) elements.add(*op);
  UntouchedRows rows{.sums = elements.sums(), .unchanged = {}};
  if (rows.sums == ir::no_value) return std::nullopt;
  for (ValueId result : results) {
    const Element element = elements.of(result);
    if (element.kind != Element::Kind::operand) return std::nullopt;
    rows.unchanged.emplace_back(result, element.operand);
  }
  return rows;
}

}  // namespace cpu
}  // namespace systolic::inline v0
