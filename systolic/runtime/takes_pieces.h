// Arrays of which each process of a run brings a piece: batches whose rows the processes read
// apart from each other.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {
namespace runtime {

// A client of several processes also implements this (dynamic_cast) where no process needs the
// whole of such an array.
class TakesPieces {
 public:
  virtual ~TakesPieces() = default;

  // The array of which `piece` [rows, ...] is this process's part along the first axis, as
  // `placement` cuts it: from_host() of the whole. InvalidArgument for another cut.
  virtual BufferPtr from_host_piece(const Literal& piece, const Placement& placement) = 0;
};

}  // namespace runtime
}  // namespace systolic::inline v0
