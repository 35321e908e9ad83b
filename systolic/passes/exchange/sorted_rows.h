// The rows of a table that some lookups mean, in order and each once, and which of them each lookup
// means. The table lies by rows over cores, core k having rows [k own, (k + 1) own): in order, what
// a core has stands together.
#pragma once

#include <cstdint>

#include "systolic/passes/exchange/core_exchange.h"

namespace systolic::inline v0 {
namespace passes {

// What lookups [count] mean.
struct SortedRows {
  ir::Value rows;    // i32 [count]: rising, each once, then the table's height
  ir::Value starts;  // i32 [cores]: where in `rows` those of each core begin
  ir::Value ends;    // i32 [cores]: and end
  ir::Value places;  // i32 [count]: of the lookups, in order of their rows; equal ones as they came
  ir::Value number;  // i32 [count]: in that order, the place in `rows` of each lookup's
};

// `ids`: i32 [count] in [0, height]; `height` is none of the table's rows, and no core's.
SortedRows sort_rows(ir::Value ids, int64_t height, int64_t cores);

// The same, each marked as the core's own, for loops that read them.
SortedRows own_rows(const SortedRows& rows, const CoreExchange& cores);

// For each of `rows` the sum of its lookups' updates [count, ...], in the order in which they came.
ir::Value sums_of(const SortedRows& rows, ir::Value updates);

// Two arrays [count] in rising order of the first.
std::pair<ir::Value, ir::Value> sorted_by(ir::Value keys, ir::Value beside);

// Whole rows of x [rows, ...] by places of any shape: [places..., ...].
ir::Value rows_at(ir::Value x, ir::Value places);

// What a core asks or tells each other one at a time: the next `most` of its rows, from `next` on.
struct NextRows {
  ir::Value places;   // i32 [cores, most], in SortedRows::rows
  ir::Value are;      // pred [cores, most]: whether there are that many
  ir::Value of_core;  // i32 [cores, most]: counted from the core's first row
};
NextRows next_rows(const SortedRows& rows, ir::Value next, int64_t most, int64_t own);

// How many rows a core asks of one other at a time: twice as many as if the lookups went to all
// cores alike. What does not fit waits for the next time.
int64_t most_at_a_time(int64_t count, int64_t cores);

}  // namespace passes
}  // namespace systolic::inline v0
