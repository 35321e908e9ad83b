#include "backends/cpu/rewrite/loops/loop_body.h"

#include <algorithm>

#include "systolic/passes/trip_count.h"

namespace systolic::inline v0 {
namespace cpu {

using ir::OpCode;
using ir::ValueId;

LoopBody::LoopBody(const ir::Function& function, const ir::Op& loop)
    : function_(function), loop_(loop), body_(loop.regions[1]) {
  note(function.body, false);
  for (ValueId argument : body_.arguments) inside_.insert(argument);
  trips_ = passes::trip_count(
      [this](ValueId value) {
        const auto found = makers_.find(value);
        return found == makers_.end() ? nullptr : found->second;
      },
      loop);
}

void LoopBody::note(const ir::Block& block, bool in_body) {
  for (const ir::Op& op : block.ops) {
    for (ValueId result : op.results) {
      makers_[result] = &op;
      if (in_body) inside_.insert(result);
    }
    for (ValueId value : op.operands) readers_[value] += in_body ? 1 : 0;
    for (size_t i = 0; i < op.regions.size(); ++i) {
      note(op.regions[i], in_body || (&op == &loop_ && i == 1));
    }
  }
  for (ValueId value : block.results) readers_[value] += in_body ? 1 : 0;
}

const ir::Op* LoopBody::maker(ValueId value, OpCode code) const {
  const auto found = makers_.find(value);
  return found != makers_.end() && found->second->code == code ? found->second : nullptr;
}

int LoopBody::readers(ValueId value) const {
  const auto found = readers_.find(value);
  return found == readers_.end() ? 0 : found->second;
}

std::optional<ValueId> LoopBody::outside(ValueId value) const {
  if (inside_.count(value) == 0) return value;
  for (size_t k = 0; k < body_.arguments.size(); ++k) {
    if (body_.arguments[k] == value && body_.results[k] == value) return loop_.operands[k];
  }
  return std::nullopt;
}

std::optional<LoopBody::Row> LoopBody::row(ValueId value) const {
  const ir::Op* reshape = maker(value, OpCode::reshape);
  if (reshape == nullptr) return std::nullopt;
  const ir::Op* slice = maker(reshape->operands[0], OpCode::dynamic_slice);
  if (slice == nullptr || inside_.count(reshape->operands[0]) == 0) return std::nullopt;
  const std::optional<ValueId> array = outside(slice->operands[0]);
  const Shape& all = function_.type(slice->operands[0]).shape;
  if (!array || all.rank() == 0) return std::nullopt;
  ir::Axes sizes = all.to_vector();
  sizes[0] = 1;
  const bool is_row = slice->get<ir::DynamicSliceAttributes>().slice_sizes == sizes &&
                      function_.type(value).shape == all.without(0);
  if (!is_row) return std::nullopt;
  return Row{*array, slice->operands[1]};
}

bool LoopBody::visits_all(ValueId index) const {
  const std::optional<Affine> found = affine(index);
  if (!found || !trips_) return false;
  return found->sign == 1 ? found->offset == 0 : found->sign == -1 && found->offset == *trips_ - 1;
}

std::optional<int64_t> LoopBody::constant(ValueId value) const {
  const std::optional<ValueId> known = outside(value);
  const ir::Op* op = maker(known.value_or(value), OpCode::constant);
  if (op == nullptr) return std::nullopt;
  const Literal& literal = op->get<ir::ConstantAttributes>().value;
  if (literal.size() != 1 || !is_integer(literal.dtype())) return std::nullopt;
  return literal.integer_at(0);
}

// Carried, from 0 on, one more after each trip.
bool LoopBody::is_counter(ValueId value) const {
  for (size_t k = 0; k < body_.arguments.size(); ++k) {
    if (body_.arguments[k] != value) continue;
    const ir::Op* next = maker(body_.results[k], OpCode::add);
    if (next == nullptr || constant(loop_.operands[k]) != 0) return false;
    const auto grows = [&](size_t i) {
      return next->operands[i] == value && constant(next->operands[1 - i]) == 1;
    };
    return grows(0) || grows(1);
  }
  return false;
}

std::optional<LoopBody::Affine> LoopBody::affine(ValueId value) const {
  if (is_counter(value)) return Affine{1, 0};
  if (const std::optional<int64_t> number = constant(value)) return Affine{0, *number};
  if (const ir::Op* op = maker(value, OpCode::add)) return sum(*op, 1);
  if (const ir::Op* op = maker(value, OpCode::subtract)) return sum(*op, -1);
  if (const ir::Op* op = maker(value, OpCode::convert)) {
    const bool integers = is_integer(function_.type(op->operands[0]).dtype) &&
                          is_integer(function_.type(value).dtype);
    return integers ? affine(op->operands[0]) : std::nullopt;
  }
  // An index from the end is one below 0, which this never is: JAX and autodiff write both.
  if (const ir::Op* op = maker(value, OpCode::select)) {
    const ir::Op* test = maker(op->operands[0], OpCode::compare);
    if (test == nullptr || constant(test->operands[1]) != 0 ||
        test->get<ir::CompareAttributes>().direction != ir::Direction::lt) {
      return std::nullopt;
    }
    const std::optional<Affine> tested = affine(test->operands[0]);
    if (tested && !is_below_zero(*tested)) return affine(op->operands[2]);
  }
  return std::nullopt;
}

std::optional<LoopBody::Affine> LoopBody::sum(const ir::Op& op, int64_t sign) const {
  const std::optional<Affine> a = affine(op.operands[0]), b = affine(op.operands[1]);
  if (!a || !b) return std::nullopt;
  return Affine{a->sign + sign * b->sign, a->offset + sign * b->offset};
}

// In some trip.
bool LoopBody::is_below_zero(const Affine& affine) const {
  if (!trips_) return true;
  return affine.offset < 0 || affine.offset + affine.sign * (*trips_ - 1) < 0;
}

}  // namespace cpu
}  // namespace systolic::inline v0
