// Arrays that come to a device row by row: the batches of several steps, which a loop on the device
// takes one by one.
#pragma once

#include <span>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace runtime {

// A client also implements this (dynamic_cast) where rows need not be joined first.
class TakesRows {
 public:
  virtual ~TakesRows() = default;

  // The array [rows, ...] of at least one row; all must have one type. Does what from_host() of the
  // whole array would, and the rows' memory may be shared. Rows of different types are an
  // InvalidArgument.
  virtual BufferPtr from_host_rows(std::span<const Literal> rows, const Placement& placement) = 0;
};

// The type of the whole array.
ir::Type type_of_rows(std::span<const Literal> rows);

}  // namespace runtime
}  // namespace systolic::inline v0
