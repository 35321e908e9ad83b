#include "systolic/passes/fold_constants.h"

#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;
using Found = std::optional<Value>;

namespace {

constexpr int64_t most_elements = 64;

// Exactly rounded ops: double has more than twice the digits of float, so that rounding twice is
// rounding once.
template <class T>
bool compute(OpCode code, T a, T b, T& result) {
  switch (code) {
    case OpCode::add:
      result = a + b;
      return true;
    case OpCode::subtract:
      result = a - b;
      return true;
    case OpCode::multiply:
      result = a * b;
      return true;
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (code == OpCode::divide) {
      result = a / b;
      return true;
    }
  }
  return false;
}

template <class T>
bool fold_elements(OpCode code, const Literal& a, const Literal& b, Literal& result) {
  const auto x = a.data<T>(), y = b.data<T>();
  const auto out = result.mutable_data<T>();
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (!compute<T>(code, x[i], y[i], out[i])) return false;
    } else if constexpr (std::is_integral_v<T>) {
      uint64_t number = 0;
      if (!compute(code, static_cast<uint64_t>(x[i]), static_cast<uint64_t>(y[i]), number)) {
        return false;
      }
      out[i] = static_cast<T>(number);
    } else {
      float number = 0;
      if (!compute(code, static_cast<float>(x[i]), static_cast<float>(y[i]), number)) return false;
      out[i] = T(number);
    }
  }
  return true;
}

Found fold_binary(Rewriter& r, const Op& op, const ir::Type& result) {
  const Literal *a = r.constant(op.operands[0]), *b = r.constant(op.operands[1]);
  const bool narrow = result.dtype == DType::i4 || result.dtype == DType::u4 ||
                      result.dtype == DType::pred || is_complex(result.dtype);
  if (a == nullptr || b == nullptr || a->size() > most_elements || narrow) return std::nullopt;
  Literal folded(result.dtype, result.shape);
  const bool done = visit_dtype(result.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bool> || is_complex_type<T>) {
      return false;
    } else {
      return fold_elements<T>(op.code, *a, *b, folded);
    }
  });
  if (!done) return std::nullopt;
  return r.builder().constant(std::move(folded));
}

// A binary op of two broadcast scalars is a broadcast of the scalars' result.
Found fold_broadcasts(Rewriter& r, const Op& op, const ir::Type& result) {
  const Op* a = r.producer(op.operands[0], OpCode::broadcast_in_dim);
  const Op* b = r.producer(op.operands[1], OpCode::broadcast_in_dim);
  if (a == nullptr || b == nullptr) return std::nullopt;
  const Literal *x = r.constant(a->operands[0]), *y = r.constant(b->operands[0]);
  if (x == nullptr || y == nullptr || x->rank() != 0 || y->rank() != 0) return std::nullopt;
  Op scalar;
  scalar.code = op.code;
  scalar.operands = {a->operands[0], b->operands[0]};
  const Found folded = fold_binary(r, scalar, {result.dtype, {}});
  if (!folded) return std::nullopt;
  return broadcast_in_dim(*folded, result.shape, {});
}

}  // namespace

Found fold_constants(Rewriter& r, const Op& op, const ir::Type& result) {
  if (op.code == OpCode::convert || op.code == OpCode::reshape) {
    const Literal* x = r.constant(op.operands[0]);
    if (x == nullptr || x->size() > most_elements) return std::nullopt;
    return r.builder().constant(op.code == OpCode::convert ? x->convert(result.dtype)
                                                           : x->reshape(result.shape));
  }
  const bool arithmetic = op.code == OpCode::add || op.code == OpCode::subtract ||
                          op.code == OpCode::multiply || op.code == OpCode::divide;
  if (!arithmetic) return std::nullopt;
  if (const Found folded = fold_binary(r, op, result)) return folded;
  return fold_broadcasts(r, op, result);
}

}  // namespace passes
}  // namespace systolic::inline v0
