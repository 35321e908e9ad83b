#include "backends/interpreter/collectives.h"

#include "backends/interpreter/elements.h"
#include "backends/interpreter/fold.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::OpCode;

// Arrays one after the other along an axis.
Literal concatenated(std::span<const Literal> parts, int64_t axis, const ir::Type& type) {
  Literal result(type.dtype, type.shape);
  int64_t start = 0;
  for (const Literal& part : parts) {
    int64_t position = 0;
    for_each_index(part.shape(), [&](const Index& index) {
      Index to = index;
      to[static_cast<size_t>(axis)] += start;
      copy_element(part, position++, result, offset_of(result.shape(), to));
    });
    start += part.shape()[static_cast<int>(axis)];
  }
  return result;
}

// Part `i` of `count` equal ones along an axis.
Literal part_of(const Literal& x, int64_t axis, int64_t i, int64_t count) {
  Shape shape = x.shape();
  const int64_t size = shape[static_cast<int>(axis)] / count;
  shape.set(static_cast<int>(axis), size);
  return moved({x.dtype(), shape}, x, x, [&](const Index& index) {
    Index from = index;
    from[static_cast<size_t>(axis)] += i * size;
    return offset_of(x.shape(), from);
  });
}

Literal folded(const Call& call, std::span<const Literal> operands, DType dtype) {
  std::vector<Literal> sum{operands[0].convert(dtype)};
  const Fold fold(call, 0);
  for (size_t i = 1; i < operands.size(); ++i) {
    for (int64_t position = 0; position < sum[0].size(); ++position) {
      fold.apply_at(sum, position, operands.subspan(i, 1), position);
    }
  }
  return sum[0];
}

std::vector<Literal> exchanged(const ir::AllToAllAttributes& a, std::span<const Literal> operands,
                               const ir::Type& type) {
  std::vector<Literal> results;
  const auto count = static_cast<int64_t>(operands.size());
  for (int64_t receiver = 0; receiver < count; ++receiver) {
    std::vector<Literal> parts;
    for (const Literal& x : operands) {
      parts.push_back(part_of(x, a.split_dimension, receiver, count));
    }
    results.push_back(concatenated(parts, a.concat_dimension, type));
  }
  return results;
}

}  // namespace

std::vector<Literal> run_group(const Call& call, std::span<const Literal> operands,
                               size_t operand) {
  const ir::Type& type = call.result(operand);
  switch (call.op.code) {
    case OpCode::all_reduce:
      return std::vector(operands.size(), folded(call, operands, type.dtype));
    case OpCode::collective_broadcast:
      return std::vector(operands.size(), operands[0]);
    case OpCode::all_gather:
      return std::vector(
          operands.size(),
          concatenated(operands, call.op.get<ir::GatherCoresAttributes>().dimension, type));
    case OpCode::all_to_all:
      return exchanged(call.op.get<ir::AllToAllAttributes>(), operands, type);
    case OpCode::reduce_scatter: {
      const Literal sum = folded(call, operands, type.dtype);
      std::vector<Literal> results;
      const auto count = static_cast<int64_t>(operands.size());
      for (int64_t i = 0; i < count; ++i) {
        results.push_back(
            part_of(sum, call.op.get<ir::GatherCoresAttributes>().dimension, i, count));
      }
      return results;
    }
    default:
      raise<Internal>({.what = str(ir::info(call.op.code).name, " is not a collective")});
  }
}

std::vector<Literal> run_permute(const ir::PermuteAttributes& attributes,
                                 std::span<const Literal> operands) {
  std::vector<Literal> results;
  for (const Literal& x : operands) results.push_back(Literal::zeros(x.dtype(), x.shape()));
  for (const auto& [source, target] : attributes.source_target_pairs) {
    results[static_cast<size_t>(target)] = operands[static_cast<size_t>(source)];
  }
  return results;
}

}  // namespace interpreter
}  // namespace systolic::inline v0
