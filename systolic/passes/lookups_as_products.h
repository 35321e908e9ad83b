// Looks up rows of a small table by a product: a row of zeros with a single one picks the row, and
// a matrix unit that is idle anyway does this sooner than a gather of single rows.
#pragma once

#include <cstdint>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The module in which gathers of whole rows of f32 tables [rows, ...] of at most `most_rows` rows,
// by i32 or i64 indices, are products, at the highest precision: each result is its row, bit for
// bit, if the table is finite; else a product has NaN for every row of a column that has one.
ir::Module lookups_as_products(ir::Module module, int64_t most_rows);

}  // namespace passes
}  // namespace systolic::inline v0
