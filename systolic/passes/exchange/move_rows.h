// Updates of a table of which each core has some rows: each core tells the others what their rows
// get, and moves its own.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "systolic/passes/exchange/core_exchange.h"

namespace systolic::inline v0 {
namespace passes {

// The tables after an update of some of a core's rows: i32 [n], rising, each once, then the number
// of rows of the core, which stands for none; sums [n, ...].
using RowMove = std::function<std::vector<ir::Value>(ir::Value rows, ir::Value sums,
                                                     std::span<const ir::Value> tables)>;

// tables [own, ...] each: a table and what its optimizer keeps, of core k rows
// [k own, (k + 1) own); ids i32 [count] of all rows and updates [count, ...], other ones on each
// core -> the tables, each row moved once by the sum of its updates: first those of each core, in
// their order, then the cores' sums in the order of the cores. Ids outside of the table are left
// out.
//
// A core tells one other core of at most most_at_a_time rows in a round. In each round all cores
// tell an owner of its rows up to a limit on which they agree, so that no row is in two rounds; the
// limit is the first row for which some core has no place.
std::vector<ir::Value> move_rows(std::span<const ir::Value> tables, ir::Value ids,
                                 ir::Value updates, const RowMove& move, const CoreExchange& cores);

}  // namespace passes
}  // namespace systolic::inline v0
