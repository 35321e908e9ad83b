#include "systolic/passes/exchange/look_up_rows.h"

#include "systolic/passes/exchange/sorted_rows.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

namespace {

// Lookups [count], the rows they mean, and the core that has each.
struct Lookups {
  SortedRows rows;
  Value owner;   // i32 [count]
  Value within;  // i32 [count]: the place of its row among those of the owner
  int64_t own;
  int64_t most;
};

Lookups lookups_of(Value table, Value ids, const CoreExchange& cores) {
  Builder& b = ids.builder();
  const int64_t own = table.shape()[0];
  ids = clamp(b.filled_like(ids, 0), ids,
              b.filled_like(ids, static_cast<double>(own * cores.count() - 1)));
  const SortedRows rows = own_rows(sort_rows(ids, own * cores.count(), cores.count()), cores);
  const Value owner = ids / static_cast<double>(own);
  const Value number = sorted_by(rows.places, rows.number).second;  // as the ids came
  return {.rows = rows,
          .owner = cores.own(owner),
          .within = cores.own(number - rows_at(rows.starts, owner)),
          .own = own,
          .most = most_at_a_time(ids.shape()[0], cores.count())};
}

// The rounds that the core with most to ask of one other needs.
Value rounds_of(const Lookups& lookups, const CoreExchange& cores) {
  const Value counts = lookups.rows.ends - lookups.rows.starts;
  const Value most = cores.most(reduce_max(counts, {0}));
  return (most + static_cast<double>(lookups.most - 1)) / static_cast<double>(lookups.most);
}

// What the lookups of one round get, beside what others got before.
Value one_round(const Lookups& lookups, Value table, Value round, Value before,
                const CoreExchange& cores) {
  const Value first = round * static_cast<double>(lookups.most);
  const Value starts = lookups.rows.starts;
  const NextRows next = next_rows(lookups.rows, starts + broadcast_to(first, starts.shape()),
                                  lookups.most, lookups.own);
  const Value asked = cores.swapped(
      select(next.are, next.of_core, next.of_core.builder().filled_like(next.of_core, 0)));
  const Value answers = cores.swapped(rows_at(table, asked));
  const Value place = lookups.within - broadcast_to(first, lookups.within.shape());
  const Value now = ir::binary(OpCode::and_, compare(place, 0, Direction::ge),
                               compare(place, static_cast<double>(lookups.most), Direction::lt));
  const Value at = lookups.owner * static_cast<double>(lookups.most) + place;
  Shape flat = answers.shape().without(0);
  flat.set(0, cores.count() * lookups.most);
  const Value got =
      rows_at(reshape(answers, flat), select(now, at, at.builder().filled_like(at, 0)));
  return select(broadcast_in_dim(now, got.shape(), {0}), got, before);
}

}  // namespace

Value look_up_rows(Value table, Value ids, const CoreExchange& cores) {
  Builder& b = ids.builder();
  const Lookups lookups = lookups_of(table, ids, cores);
  const Value rounds = rounds_of(lookups, cores);
  Shape shape = table.shape();
  shape.set(0, ids.shape()[0]);
  const Value start[] = {b.constant(Literal::zeros(DType::i32, {})),
                         b.filled(table.dtype(), shape, 0)};
  return while_loop(
      start, [&](std::span<const Value> state) { return compare(state[0], rounds, Direction::lt); },
      [&](std::span<const Value> state) {
        return std::vector{state[0] + 1.0, one_round(lookups, table, state[0], state[1], cores)};
      })[1];
}

}  // namespace passes
}  // namespace systolic::inline v0
