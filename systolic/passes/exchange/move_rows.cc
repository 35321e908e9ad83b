#include "systolic/passes/exchange/move_rows.h"

#include "systolic/passes/exchange/sorted_rows.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

namespace {

// Rows of one core's updates, and the sum for each.
struct Told {
  SortedRows rows;
  Value sums;  // [count, ...]
  int64_t own, most;
};

Told told_of(Value ids, Value updates, int64_t own, const CoreExchange& cores) {
  const auto height = static_cast<double>(own * cores.count());
  const Value inside =
      ir::binary(OpCode::and_, compare(ids, 0, Direction::ge), compare(ids, height, Direction::lt));
  ids = select(inside, ids, ids.builder().filled_like(ids, height));
  const SortedRows rows = own_rows(sort_rows(ids, own * cores.count(), cores.count()), cores);
  return {.rows = rows,
          .sums = cores.own(sums_of(rows, updates)),
          .own = own,
          .most = most_at_a_time(ids.shape()[0], cores.count())};
}

// Whether a core still has rows to tell, from `next` on: i32, 0 or 1, the same on all cores.
Value goes_on(const Told& told, Value next, const CoreExchange& cores) {
  const Value waits = compare(next, told.rows.ends, Direction::lt);
  return cores.most(reduce_max(convert(waits, DType::i32), {0}));
}

// The first row of each owner for which some core has no place in this round: [cores].
Value limits_of(const Told& told, Value next, const CoreExchange& cores) {
  Builder& b = next.builder();
  const Value first_left = next + static_cast<double>(told.most);
  const auto last = static_cast<double>(told.rows.rows.shape()[0] - 1);
  const Value row =
      rows_at(told.rows.rows, ir::binary(OpCode::minimum, first_left, b.filled_like(next, last)));
  const Value are = compare(first_left, told.rows.ends, Direction::lt);
  const auto height = static_cast<double>(told.own * cores.count());
  return cores.least(select(are, row, b.filled_like(row, height)));
}

// [cores, most, ...] -> [cores most, ...]
Value one_after_another(Value x) {
  Shape flat = x.shape().without(0);
  flat.set(0, x.shape()[0] * x.shape()[1]);
  return reshape(x, flat);
}

struct Round {
  std::vector<Value> tables;
  Value next;
};

Round run_round(const Told& told, Value next, std::span<const Value> tables, const RowMove& move,
                const CoreExchange& cores) {
  Builder& b = next.builder();
  const NextRows rows = next_rows(told.rows, next, told.most, told.own);
  const Shape shape = rows.of_core.shape();
  // Counted from the core's first row, as of_core.
  const Value limits = broadcast_in_dim(limits_of(told, next, cores), shape, {0}) -
                       b.iota({DType::i32, shape}, 0) * static_cast<double>(told.own);
  const Value go = ir::binary(OpCode::and_, rows.are, compare(rows.of_core, limits, Direction::lt));
  const Value none = b.filled(DType::i32, shape, static_cast<double>(told.own));
  const Value got = one_after_another(cores.swapped(select(go, rows.of_core, none)));
  const Value sums = one_after_another(cores.swapped(rows_at(told.sums, rows.places)));
  const SortedRows own = sort_rows(got, told.own, 1);
  return {.tables = move(own.rows, sums_of(own, sums), tables),
          .next = next + reduce_sum(convert(go, DType::i32), {1})};
}

}  // namespace

std::vector<Value> move_rows(std::span<const Value> tables, Value ids, Value updates,
                             const RowMove& move, const CoreExchange& cores) {
  const Told told = told_of(ids, updates, tables[0].shape()[0], cores);
  std::vector<Value> start{told.rows.starts, goes_on(told, told.rows.starts, cores)};
  start.insert(start.end(), tables.begin(), tables.end());
  std::vector<Value> end = while_loop(
      start, [&](std::span<const Value> state) { return compare(state[1], 0, Direction::gt); },
      [&](std::span<const Value> state) {
        const Round round = run_round(told, state[0], state.subspan(2), move, cores);
        std::vector<Value> after{round.next, goes_on(told, round.next, cores)};
        after.insert(after.end(), round.tables.begin(), round.tables.end());
        return after;
      });
  end.erase(end.begin(), end.begin() + 2);
  return end;
}

}  // namespace passes
}  // namespace systolic::inline v0
