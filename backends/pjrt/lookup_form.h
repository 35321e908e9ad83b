// How a TPU looks up the rows of a table: with a gather, or with a product with the table; and from
// the other cores, where the table lies by rows over all of them.
#pragma once

#include <cstdint>

#include "systolic/ir/module.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace pjrt {

// Tables of at most this many rows are multiplied; 0 for devices that are not TPUs.
//
// libtpu's cost figures count 36 bytes of a gather for each number that it takes out of an f32
// table, a tile of eight rows and the result, and 2 operations for each row of the table in a
// product, whatever its precision; the matrix units take six passes for the highest one, which
// keeps all bits. So a product is cheaper while 12 rows / peak < 36 / bandwidth. docs/devices.md
// has the figures. The gradient of a lookup stays a scatter: of the loop that it becomes, libtpu
// counts one round, which is less than any product.
int64_t most_rows_as_product(const TpuGeneration& generation);

// The module with its lookups in the form for that generation, after exchange_rows; another
// device's is left as it is.
ir::Module in_lookup_form(const ir::Module& module, const TpuGeneration& generation);

}  // namespace pjrt
}  // namespace systolic::inline v0
