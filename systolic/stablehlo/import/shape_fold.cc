#include "systolic/stablehlo/import/shape_fold.h"

#include <cstring>

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using ir::OpCode;
using Numbers = std::vector<int64_t>;

Numbers numbers_of(const Literal& literal) {
  Numbers numbers;
  for (int64_t i = 0; i < literal.size(); ++i) numbers.push_back(literal.integer_at(i));
  return numbers;
}

Literal literal_of(const Numbers& numbers, const ir::Type& type) {
  return Literal::from(std::span<const int64_t>(numbers), type.shape).convert(type.dtype);
}

bool holds(ir::Direction direction, int64_t a, int64_t b) {
  switch (direction) {
    case ir::Direction::eq:
      return a == b;
    case ir::Direction::ne:
      return a != b;
    case ir::Direction::ge:
      return a >= b;
    case ir::Direction::gt:
      return a > b;
    case ir::Direction::le:
      return a <= b;
    case ir::Direction::lt:
      return a < b;
  }
  return false;
}

// Wrapping, as the ops do. Nothing where C++ has no answer.
std::optional<int64_t> arithmetic(const ir::Op& op, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op.code) {
    case OpCode::add:
      return static_cast<int64_t>(x + y);
    case OpCode::subtract:
      return static_cast<int64_t>(x - y);
    case OpCode::multiply:
      return static_cast<int64_t>(x * y);
    case OpCode::divide:
      if (b == 0 || b == -1) return std::nullopt;
      return a / b;
    case OpCode::remainder:
      if (b == 0 || b == -1) return std::nullopt;
      return a % b;
    case OpCode::maximum:
      return std::max(a, b);
    case OpCode::minimum:
      return std::min(a, b);
    case OpCode::and_:
      return a & b;
    case OpCode::or_:
      return a | b;
    case OpCode::xor_:
      return a ^ b;
    case OpCode::compare:
      return holds(op.get<ir::CompareAttributes>().direction, a, b) ? 1 : 0;
    default:
      return std::nullopt;
  }
}

std::optional<Numbers> binary(const ir::Op& op, const Numbers& a, const Numbers& b) {
  Numbers result;
  for (size_t i = 0; i < a.size(); ++i) {
    const std::optional<int64_t> number = arithmetic(op, a[i], b[i]);
    if (!number) return std::nullopt;
    result.push_back(*number);
  }
  return result;
}

// Elements of x at the index of each result element that `source` gives.
template <class Source>
Numbers gathered(const Numbers& x, const Shape& from, const Shape& to, Source&& source) {
  Numbers result;
  if (to.elements() == 0) return result;
  std::vector<int64_t> index(static_cast<size_t>(to.rank()));
  do {
    int64_t offset = 0;
    for (int axis = 0; axis < from.rank(); ++axis) {
      offset = offset * from[axis] + source(index, axis);
    }
    result.push_back(x[static_cast<size_t>(offset)]);
  } while (next_index(to, index));
  return result;
}

bool foldable(const ir::Type& type) {
  const bool whole = is_integer(type.dtype) || type.dtype == DType::pred;
  return whole && type.shape.elements() <= most_folded_elements;
}

std::optional<Numbers> joined_numbers(const std::vector<Numbers>& parts) {
  Numbers result;
  for (const Numbers& part : parts) result.insert(result.end(), part.begin(), part.end());
  return result;
}

std::optional<Numbers> selected(const Numbers& which, const Numbers& on_true,
                                const Numbers& on_false) {
  Numbers result;
  for (size_t i = 0; i < which.size(); ++i)
    result.push_back(which[i] != 0 ? on_true[i] : on_false[i]);
  return result;
}

// The op of operands that are all known, the first of which has this shape.
std::optional<Numbers> folded(const ir::Op& op, const std::vector<Numbers>& known,
                              const Shape& shape, const Shape& result) {
  switch (op.code) {
    case OpCode::convert:
    case OpCode::reshape:
      return known[0];
    case OpCode::concatenate:
      return shape.rank() == 1 ? joined_numbers(known) : std::nullopt;
    case OpCode::slice: {
      const auto& a = op.get<ir::SliceAttributes>();
      return gathered(known[0], shape, result, [&](const auto& index, int axis) {
        const auto i = static_cast<size_t>(axis);
        return a.start_indices[i] + index[i] * a.strides[i];
      });
    }
    case OpCode::broadcast_in_dim: {
      const auto& a = op.get<ir::BroadcastAttributes>();
      return gathered(known[0], shape, result, [&](const auto& index, int axis) {
        const auto to = static_cast<size_t>(a.dimensions[static_cast<size_t>(axis)]);
        return shape[axis] == 1 ? int64_t{0} : index[to];
      });
    }
    case OpCode::select:
      if (shape.rank() != result.rank()) return std::nullopt;
      return selected(known[0], known[1], known[2]);
    default:
      if (known.size() != 2 || known[0].size() != known[1].size()) return std::nullopt;
      return binary(op, known[0], known[1]);
  }
}

}  // namespace

std::optional<Literal> fold_sizes(const ir::Op& op, std::span<const Literal* const> operands,
                                  const ir::Type& result) {
  if (!foldable(result)) return std::nullopt;
  if (op.code == OpCode::constant) return op.get<ir::ConstantAttributes>().value;
  if (op.code == OpCode::iota && result.shape.rank() == 1) {
    Numbers numbers;
    for (int64_t i = 0; i < result.shape[0]; ++i) numbers.push_back(i);
    return literal_of(numbers, result);
  }
  if (operands.empty()) return std::nullopt;
  std::vector<Numbers> known;
  for (const Literal* operand : operands) {
    if (operand == nullptr || !foldable({operand->dtype(), operand->shape()})) return std::nullopt;
    known.push_back(numbers_of(*operand));
  }
  const std::optional<Numbers> numbers = folded(op, known, operands[0]->shape(), result.shape);
  if (!numbers) return std::nullopt;
  return literal_of(*numbers, result);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
