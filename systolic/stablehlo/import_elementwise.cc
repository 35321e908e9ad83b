// Elementwise ops and those without operands.
#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {

void import_same(OpImport& op) { op.append(); }

void import_compare(OpImport& op) {
  constexpr std::pair<std::string_view, ir::Direction> directions[] = {
      {"EQ", ir::Direction::eq}, {"NE", ir::Direction::ne}, {"GE", ir::Direction::ge},
      {"GT", ir::Direction::gt}, {"LE", ir::Direction::le}, {"LT", ir::Direction::lt}};
  ir::CompareAttributes attributes;
  const std::string_view word = op.word("comparison_direction", "");
  bool known = false;
  for (const auto& [name, direction] : directions) {
    if (name != word) continue;
    attributes.direction = direction;
    known = true;
  }
  if (!known) op.fail("comparison_direction", str("'", word, "'"), "EQ, NE, GE, GT, LE or LT");
  if (op.word("compare_type", "") == "TOTALORDER") attributes.type = ir::CompareType::total_order;
  op.append(attributes);
}

void import_convert(OpImport& op) {
  ir::Type type = op.written();
  const bool sizes_follow = op.code() == ir::OpCode::convert;
  if (sizes_follow) type.shape = op.operand(0).shape();
  op.append({}, {}, {sizes_follow ? type : op.static_type()});
}

void import_reduce_precision(OpImport& op) {
  op.append(ir::ReducePrecisionAttributes{static_cast<int>(op.integer("exponent_bits")),
                                          static_cast<int>(op.integer("mantissa_bits"))});
}

void import_constant(OpImport& op) {
  const ir::Type type = op.static_type();
  const DenseValue value =
      read_dense(op.importer().program(), op.required("value"), type.dtype, type.shape);
  const ir::Value literal = op.builder().constant(value.literal);
  op.set(value.splat ? ir::broadcast_in_dim(literal, type.shape, {}) : literal);
}

void import_identity(OpImport& op) { op.set(op.operand(0)); }

void import_iota(OpImport& op) {
  op.append(ir::IotaAttributes{op.integer("iota_dimension")}, {}, {op.static_type()});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
