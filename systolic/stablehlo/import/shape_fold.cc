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
  const Shape& shape = operands[0]->shape();
  std::optional<Numbers> numbers;
  switch (op.code) {
    case OpCode::convert:
    case OpCode::reshape:
      numbers = known[0];
      break;
    case OpCode::concatenate:
      if (shape.rank() != 1) return std::nullopt;
      numbers.emplace();
      for (const Numbers& part : known) numbers->insert(numbers->end(), part.begin(), part.end());
      break;
    case OpCode::slice: {
      const auto& a = op.get<ir::SliceAttributes>();
      numbers = gathered(known[0], shape, result.shape, [&](const auto& index, int axis) {
        const auto i = static_cast<size_t>(axis);
        return a.start_indices[i] + index[i] * a.strides[i];
      });
      break;
    }
    case OpCode::broadcast_in_dim: {
      const auto& a = op.get<ir::BroadcastAttributes>();
      numbers = gathered(known[0], shape, result.shape, [&](const auto& index, int axis) {
        const auto to = static_cast<size_t>(a.dimensions[static_cast<size_t>(axis)]);
        return shape[axis] == 1 ? int64_t{0} : index[to];
      });
      break;
    }
    case OpCode::select:
      if (shape.rank() != result.shape.rank()) return std::nullopt;
      numbers.emplace();
      for (size_t i = 0; i < known[0].size(); ++i) {
        numbers->push_back(known[0][i] != 0 ? known[1][i] : known[2][i]);
      }
      break;
    default:
      if (known.size() == 2 && known[0].size() == known[1].size()) {
        numbers = binary(op, known[0], known[1]);
      }
  }
  if (!numbers) return std::nullopt;
  return literal_of(*numbers, result);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
