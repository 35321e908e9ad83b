// Lookups in a table of which each core has some rows: each core asks the others for the rows that
// they have.
#pragma once

#include "systolic/passes/exchange/core_exchange.h"

namespace systolic::inline v0 {
namespace passes {

// table [own, ...]: of core k rows [k own, (k + 1) own); ids i32 [count], of all rows, other ones
// on each core -> [count, ...]. An id outside of the table gets the nearest row, as in a gather.
//
// A core asks for each row once, and one other core for at most most_at_a_time of them in a round;
// there are as many rounds as the core that asks one other for most needs. Memory: rounds apart,
// the result and `cores` times that many rows.
ir::Value look_up_rows(ir::Value table, ir::Value ids, const CoreExchange& cores);

}  // namespace passes
}  // namespace systolic::inline v0
