#include "systolic/passes/stack/boxes_of_cores.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace passes {
namespace {

using ir::Op;
using ir::OpCode;
using ir::Value;
using Integers = std::vector<int64_t>;

const Literal* constant_of(const Op* op) {
  if (op == nullptr || op->code != OpCode::constant) return nullptr;
  const Literal& value = op->get<ir::ConstantAttributes>().value;
  return is_integer(value.dtype()) && value.dtype() != DType::u64 ? &value : nullptr;
}

std::optional<Integers> looked_up(const Stacker& s, const Op& op) {
  const Literal* table = constant_of(s.producer(op.operands[0]));
  const auto& sizes = op.get<ir::DynamicSliceAttributes>().slice_sizes;
  if (table == nullptr || table->shape().rank() != 1 || sizes[0] != 1) return std::nullopt;
  std::optional<Integers> places = known_integers(s, op.operands[1]);
  if (!places) return std::nullopt;
  const Literal wide = table->convert(DType::i64);
  for (int64_t& place : *places) {
    place = wide.data<int64_t>()[static_cast<size_t>(
        std::clamp<int64_t>(place, 0, table->shape()[0] - 1))];
  }
  return places;
}

std::optional<Integers> remainders(const Stacker& s, const Op& op) {
  std::optional<Integers> a = known_integers(s, op.operands[0]);
  const std::optional<Integers> b = known_integers(s, op.operands[1]);
  if (!a || !b || std::count(b->begin(), b->end(), 0) > 0) return std::nullopt;
  for (size_t core = 0; core < a->size(); ++core) (*a)[core] %= (*b)[core];
  return a;
}

// How many boxes lie along each axis; nothing where they do not fill it.
std::optional<Integers> boxes_along(const Shape& shape, const ir::Axes& box) {
  Integers counts;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t size = box[static_cast<size_t>(axis)];
    if (size == 0 || shape[axis] % size != 0) return std::nullopt;
    counts.push_back(shape[axis] / size);
  }
  return counts;
}

// The number of a core's box in row-major order; nothing where it lies across several.
std::optional<int64_t> number_of_box(const Shape& shape, const ir::Axes& box,
                                     const Integers& counts, const std::vector<Integers>& starts,
                                     size_t core) {
  int64_t number = 0;
  for (size_t axis = 0; axis < box.size(); ++axis) {
    const int64_t last = shape[static_cast<int>(axis)] - box[axis];
    const int64_t start = std::clamp<int64_t>(starts[axis][core], 0, last);
    if (start % box[axis] != 0) return std::nullopt;
    number = number * counts[axis] + start / box[axis];
  }
  return number;
}

// [boxes, box...]
Value all_boxes(Value whole, const Integers& counts, int64_t boxes) {
  const int rank = whole.rank();
  ir::Axes order;
  for (int axis = 0; axis < rank; ++axis) order.push_back(2 * axis);
  for (int axis = 0; axis < rank; ++axis) order.push_back(2 * axis + 1);
  Shape shape{boxes};
  for (int axis = 0; axis < rank; ++axis) {
    shape = shape.with_inserted(axis + 1, whole.shape()[axis] / counts[static_cast<size_t>(axis)]);
  }
  if (counts[0] == boxes) return reshape(whole, shape);  // rows: nothing moves
  Value split = whole;
  for (int axis = rank; axis-- > 0;) {
    split = split_axis(split, axis, counts[static_cast<size_t>(axis)]);
  }
  return reshape(transpose(split, order), shape);
}

}  // namespace

std::optional<Integers> known_integers(const Stacker& s, ir::ValueId value) {
  const Op* op = s.producer(value);
  if (op == nullptr || s.source_type(value).shape.elements() != 1) return std::nullopt;
  const auto cores = static_cast<size_t>(s.cores());
  if (const Literal* constant = constant_of(op)) {
    const Literal wide = constant->convert(DType::i64);
    return Integers(cores, wide.data<int64_t>()[0]);
  }
  switch (op->code) {
    case OpCode::replica_id: {
      Integers numbers(cores);
      std::iota(numbers.begin(), numbers.end(), 0);
      return numbers;
    }
    case OpCode::convert:
      return is_integer(s.source_type(value).dtype) ? known_integers(s, op->operands[0])
                                                    : std::nullopt;
    case OpCode::reshape:
      return known_integers(s, op->operands[0]);
    case OpCode::remainder:
      return remainders(s, *op);
    case OpCode::dynamic_slice:
      return looked_up(s, *op);
    default:
      return std::nullopt;
  }
}

std::optional<Value> boxes_in_order(Value whole, const ir::Axes& box,
                                    const std::vector<Integers>& starts) {
  const Shape shape = whole.shape();
  const std::optional<Integers> counts = boxes_along(shape, box);
  if (!counts || starts.empty()) return std::nullopt;
  const auto cores = static_cast<int64_t>(starts[0].size());
  const int64_t boxes =
      std::accumulate(counts->begin(), counts->end(), int64_t{1}, std::multiplies<>());
  if (cores % boxes != 0) return std::nullopt;
  const int64_t copies = cores / boxes;
  for (int64_t core = 0; core < cores; ++core) {
    const auto number = number_of_box(shape, box, *counts, starts, static_cast<size_t>(core));
    if (number != core / copies) return std::nullopt;
  }
  const Value each = all_boxes(whole, *counts, boxes);
  if (copies == 1) return each;
  ir::Axes kept = axes_from(1, each.rank());
  kept[0] = 0;
  const Value copied = broadcast_in_dim(each, each.shape().with_inserted(1, copies), kept);
  return merge_axes(copied, 0);
}

}  // namespace passes
}  // namespace systolic::inline v0
