// Arrays that come to a device row by row: the batches of several steps, of which a loop on the
// device takes one after the other.
#pragma once

#include <span>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace runtime {

// What a client is as well (dynamic_cast) where it need not put rows together.
class TakesRows {
 public:
  virtual ~TakesRows() = default;

  // The array [rows, ...] of at least one row; all have one type. As from_host() of the whole, for
  // which the rows' memory may be shared. Rows of different types are an InvalidArgument.
  virtual BufferPtr from_host_rows(std::span<const Literal> rows, const Placement& placement) = 0;
};

// Of the whole.
ir::Type type_of_rows(std::span<const Literal> rows);

}  // namespace runtime
}  // namespace systolic::inline v0
