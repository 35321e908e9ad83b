#include "systolic/passes/exchange/sorted_rows.h"

#include <algorithm>
#include <utility>

namespace systolic::inline v0 {
namespace passes {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

namespace {

// Where another row begins than before.
Value begins_of(Value sorted) {
  Builder& b = sorted.builder();
  const int64_t count = sorted.shape()[0];
  const Value first = b.filled(DType::pred, {1}, 1);
  if (count == 1) return first;
  const Value parts[] = {
      first, compare(slice(sorted, {1}, {count}), slice(sorted, {0}, {count - 1}), Direction::ne)};
  return concatenate(parts, 0);
}

// Each number added to all before it, by doubling steps.
Value running_sum(Value x) {
  const int64_t count = x.shape()[0];
  const Value zero = x.builder().constant(Literal::zeros(x.dtype(), {}));
  for (int64_t step = 1; step < count; step *= 2)
    x = x + pad(slice(x, {0}, {count - step}), zero, {step}, {0});
  return x;
}

// How many of `rows` are before each core's first and after the last core's last: [cores + 1].
Value counts_before(Value rows, int64_t own, int64_t cores) {
  Builder& b = rows.builder();
  const Shape both{cores + 1, rows.shape()[0]};
  const Value firsts = b.iota({DType::i32, both}, 0) * static_cast<double>(own);
  const Value before = compare(broadcast_in_dim(rows, both, {1}), firsts, Direction::lt);
  return reduce_sum(convert(before, DType::i32), {1});
}

}  // namespace

std::pair<Value, Value> sorted_by(Value keys, Value beside) {
  const Value both[] = {keys, beside};
  const auto sorted = ir::sort(
      both, {.dimension = 0, .is_stable = true},
      [](std::span<const Value> sides) { return compare(sides[0], sides[1], Direction::lt); });
  return {sorted[0], sorted[1]};
}

Value rows_at(Value x, Value places) {
  ir::GatherAttributes a;
  for (int axis = 1; axis < x.rank(); ++axis) a.offset_dims.push_back(axis - 1 + places.rank());
  a.collapsed_slice_dims = a.start_index_map = {0};
  a.index_vector_dim = places.rank();
  a.slice_sizes = x.shape().to_vector();
  a.slice_sizes[0] = 1;
  return gather(x, places, std::move(a));
}

SortedRows sort_rows(Value ids, int64_t height, int64_t cores) {
  Builder& b = ids.builder();
  const auto [sorted, places] = sorted_by(ids, b.iota(ids.type(), 0));
  const Value begins = begins_of(sorted);
  const Value once = select(begins, sorted, b.filled_like(sorted, static_cast<double>(height)));
  const Value rows = ir::sort({&once, 1}, {.dimension = 0}, [](std::span<const Value> sides) {
    return compare(sides[0], sides[1], Direction::lt);
  })[0];
  const Value counts = counts_before(rows, height / cores, cores);
  return {.rows = rows,
          .starts = slice(counts, {0}, {cores}),
          .ends = slice(counts, {1}, {cores + 1}),
          .places = places,
          .number = running_sum(convert(begins, DType::i32)) - 1};
}

SortedRows own_rows(const SortedRows& rows, const CoreExchange& cores) {
  return {.rows = cores.own(rows.rows),
          .starts = cores.own(rows.starts),
          .ends = cores.own(rows.ends),
          .places = cores.own(rows.places),
          .number = cores.own(rows.number)};
}

Value sums_of(const SortedRows& rows, Value updates) {
  ir::ScatterAttributes a;
  for (int axis = 1; axis < updates.rank(); ++axis) a.update_window_dims.push_back(axis);
  a.inserted_window_dims = a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  a.indices_are_sorted = true;
  const Value zeros = updates.builder().filled_like(updates, 0);
  return scatter(zeros, rows.number, rows_at(updates, rows.places), std::move(a), OpCode::add);
}

NextRows next_rows(const SortedRows& rows, Value next, int64_t most, int64_t own) {
  Builder& b = next.builder();
  const Shape shape{next.shape()[0], most};
  const ir::Type type{DType::i32, shape};
  const Value places = broadcast_in_dim(next, shape, {0}) + b.iota(type, 1);
  const Value last = b.filled(DType::i32, shape, static_cast<double>(rows.rows.shape()[0] - 1));
  const Value inside = ir::binary(OpCode::minimum, places, last);
  return {.places = inside,
          .are = compare(places, broadcast_in_dim(rows.ends, shape, {0}), Direction::lt),
          .of_core = rows_at(rows.rows, inside) - b.iota(type, 0) * static_cast<double>(own)};
}

int64_t most_at_a_time(int64_t count, int64_t cores) {
  constexpr int64_t least = 8, share = 2;
  return std::min(count, std::max(least, (share * count + cores - 1) / cores));
}

}  // namespace passes
}  // namespace systolic::inline v0
