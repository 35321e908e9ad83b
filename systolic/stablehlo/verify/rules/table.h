// Which check belongs to which op, and what every op of that name has.
#pragma once

#include <string_view>

#include "systolic/stablehlo/verify/op/op_verifier.h"

namespace systolic::inline v0 {
namespace stablehlo {

struct OpRow {
  std::string_view name;  // "add" of stablehlo.add; those of other dialects as they are
  void (*verify)(const OpVerifier& op);
  int operands, results, regions;  // -1: any number
  // The element types that each operand may have, between spaces; the last goes for all others.
  //   b boolean, i integer, s signed integer, f float, c complex, q quantized per tensor,
  //   Q quantized in any way, t any but quantized per axis, n integers or index of known sizes,
  //   * any; a digit after them is how many axes it has;
  // nothing where operands may be other than arrays.
  std::string_view elements;
};

// nullptr for ops without constraints.
const OpRow* find_op_row(std::string_view op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
