// Ops that StableHLO's dialect still has and that its specification dropped, or never had.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_broadcast(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  Axes shape = op.axes("broadcast_sizes");
  op.at_least(0, "broadcast_sizes", shape, 0);
  shape.insert(shape.end(), operand.type->dims.begin(), operand.type->dims.end());
  op.shape_is(0, op.result(), shape);
  op.same_element(0, op.result(), operand);
}

// A product of matrices and vectors.
void verify_dot(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs"), rhs = op.operand(1, "rhs");
  for (const NamedValue& side : {lhs, rhs}) {
    op.require(side.rank() == 1 || side.rank() == 2, 0, [&] {
      return Violation{str("rank(", side.name, ")"), str(side.rank()), "1 or 2"};
    });
  }
  op.same_dim(0, rhs, 0, lhs, lhs.rank() - 1);
  Axes shape;
  if (lhs.rank() == 2) shape.push_back(lhs.dim(0));
  if (rhs.rank() == 2) shape.push_back(rhs.dim(1));
  op.shape_is(0, op.result(), shape);
}

void verify_set_dimension_size(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), size = op.operand(1, "size");
  op.is(0, "rank(size)", size.rank(), 0);
  op.in_range(0, "dimension", {op.integer("dimension")}, operand.rank());
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
