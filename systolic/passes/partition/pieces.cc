// A process's piece of what is whole, and the whole of what is cut.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/passes/partition/partitioner.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;

Value Partitioner::get(ValueId value, int wanted) {
  if (wanted == cut(value)) return builder_.value(held_[static_cast<size_t>(value)]);
  const auto key = std::pair(value, wanted);
  const auto found = others_.find(key);
  if (found != others_.end()) return builder_.value(found->second);
  Value made;
  if (wanted == no_cut) {
    made = gathered(value);
  } else if (cut(value) == no_cut) {
    made = piece(value, wanted);
  } else {
    const ir::AllToAllAttributes turn{.split_dimension = wanted,
                                      .concat_dimension = cut(value),
                                      .split_count = processes_,
                                      .collective = {}};
    made = all_to_all(builder_.value(held_[static_cast<size_t>(value)]), turn);
  }
  others_[key] = made.id();
  made_.push_back(key);
  return made;
}

Value Partitioner::gathered(ValueId value) {
  if (current_ != nullptr) {
    gathered_.push_back({std::string(ir::info(current_->code).name), current_->location,
                         current_->layer_path, source_.type(value).bytes()});
  }
  return all_gather(builder_.value(held_[static_cast<size_t>(value)]), cut(value), processes_);
}

Value Partitioner::piece(ValueId value, int axis) {
  if (const auto produced = produce_piece(value, axis)) return *produced;
  return sliced(builder_.value(held_[static_cast<size_t>(value)]), axis);
}

Value Partitioner::first_of_piece(DType dtype, int64_t piece_size) {
  return ir::convert(replica_id(builder_), dtype) * static_cast<double>(piece_size);
}

Value Partitioner::sliced(Value x, int axis) {
  ir::Axes sizes = x.shape().to_vector();
  int64_t& size = sizes[static_cast<size_t>(axis)];
  size /= processes_;
  std::vector<Value> starts(sizes.size(), builder_.constant(Literal::zeros(DType::i64, {})));
  starts[static_cast<size_t>(axis)] = first_of_piece(DType::i64, size);
  return dynamic_slice(x, starts, sizes);
}

// The piece of an array that was reshaped or transposed, from a piece of what it was before.
std::optional<Value> Partitioner::moved(const Op& op, int axis) {
  for (const Factor& factor : factors_of(source_, op)) {
    const int from = factor.operands[0], held = cut(op.operands[0]);
    if (factor.results[0] != axis || !divides(op.operands[0], from)) continue;
    if (held != no_cut && held != from) continue;
    return builder_.append_one(op.code, {get(op.operands[0], from)}, op.attributes, {},
                               {type(op.results[0], axis)});
  }
  return std::nullopt;
}

// A piece computed from pieces, where nothing whole is needed for it: what broadcasts, counts,
// movement and elementwise ops give.
std::optional<Value> Partitioner::produce_piece(ValueId value, int axis) {
  const Op* op = producers_[static_cast<size_t>(value)];
  if (op == nullptr || op->results.size() != 1) return std::nullopt;
  const ir::Type local = type(value, axis);
  if (op->code == OpCode::iota) {
    const Value counted = builder_.iota(local, op->get<ir::IotaAttributes>().dimension);
    if (op->get<ir::IotaAttributes>().dimension != axis) return counted;
    return counted + broadcast_to(first_of_piece(local.dtype, local.shape[axis]), local.shape);
  }
  if (op->code == OpCode::broadcast_in_dim) {
    const ir::Axes& to = op->get<ir::BroadcastAttributes>().dimensions;
    int from = no_cut;
    for (size_t i = 0; i < to.size(); ++i) {
      const bool repeats = source_.type(op->operands[0]).shape[static_cast<int>(i)] == 1;
      if (to[i] == axis && !repeats) from = static_cast<int>(i);
    }
    return broadcast_in_dim(get(op->operands[0], from), local.shape, to);
  }
  if (op->code == OpCode::reshape || op->code == OpCode::transpose) return moved(*op, axis);
  const ir::OpFamily family = ir::info(op->code).family;
  if (family != ir::OpFamily::unary && family != ir::OpFamily::binary &&
      family != ir::OpFamily::ternary) {
    return std::nullopt;
  }
  std::vector<Value> operands;
  for (ValueId operand : op->operands) {
    const bool scalar = source_.type(operand).shape.rank() == 0;
    operands.push_back(get(operand, scalar ? no_cut : axis));
  }
  return builder_.append(op->code, operands, op->attributes, {}, {local})[0];
}

}  // namespace passes
}  // namespace systolic::inline v0
