// What the compiler checks for every table that has a row for each op.
#pragma once

#include "systolic/ir/op_code.h"

namespace systolic::inline v0 {
namespace ir {

inline constexpr OpCode first_op = OpCode{0}, last_op = static_cast<OpCode>(op_count - 1);

// Whether the rows, each with a member `code`, are those of the ops from `first` to `last`, one for
// each, in the order of OpCode, so that an op's number finds its row.
//
//   static_assert(rows_stand_at_their_code(rules), "one row for each op, in the order of OpCode");
template <class Rows>
constexpr bool rows_stand_at_their_code(const Rows& rows, OpCode first = first_op,
                                        OpCode last = last_op) {
  int code = static_cast<int>(first);
  for (const auto& row : rows) {
    if (static_cast<int>(row.code) != code++) return false;
  }
  return code == static_cast<int>(last) + 1;
}

}  // namespace ir
}  // namespace systolic::inline v0
