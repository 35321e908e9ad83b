// Ops that work element by element.
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_nothing(const OpVerifier&) {}

void verify_same_type(const OpVerifier& op) {
  const NamedValue wanted = op.operand(0, op.op().operands.size() == 1 ? "operand" : "lhs");
  if (op.op().operands.size() == 2) op.same_type(1, op.operand(1, "rhs"), wanted);
  op.same_type(1, op.result(), wanted);
}

void verify_same_baseline_type(const OpVerifier& op) {
  const NamedValue wanted = op.operand(0, op.op().operands.size() == 1 ? "operand" : "lhs");
  if (op.op().operands.size() == 2) op.same_baseline_type(1, op.operand(1, "rhs"), wanted);
  op.same_baseline_type(1, op.result(), wanted);
}

namespace {

// The type of `result` has `element` where an operand is complex, else the operand's.
void part_of_complex(const OpVerifier& op, int constraint, const NamedValue& operand) {
  const NamedValue result = op.result();
  if (!is_complex(*operand.type)) return op.same_baseline_element(constraint, result, operand);
  const ElementType part = complex_part(operand.type->element);
  op.require(is_float(*result.type) && result.type->element == part, constraint, [&] {
    return Violation{"element_type(result)", op.type_of(result),
                     str(info(part).name, ", as the parts of ", op.type_of(operand))};
  });
}

}  // namespace

void verify_abs(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  op.same_shape(1, op.result(), operand);
  part_of_complex(op, 2, operand);
}

void verify_complex_part(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  op.same_shape(1, op.result(), operand);
  part_of_complex(op, 2, operand);
}

namespace {

void same_quantized_axis(const OpVerifier& op, int constraint, const NamedValue& side,
                         const NamedValue& result) {
  if (!is_per_axis_quantized(*side.type) || !is_per_axis_quantized(*result.type)) return;
  op.is(constraint, str("quantization_dimension(", side.name, ")"), *side.type->quantization->axis,
        *result.type->quantization->axis);
}

void add_quantized(const OpVerifier& op, const NamedValue& lhs, const NamedValue& rhs,
                   const NamedValue& result) {
  for (const NamedValue& value : {lhs, rhs, result}) {
    op.require(is_quantized(*value.type), 2, [&] {
      return Violation{str("type(", value.name, ")"), op.type_of(value),
                       "a quantized type, as the others have"};
    });
  }
  for (const NamedValue& value : {rhs, result}) {
    const Quantization &got = *value.type->quantization, &wanted = *lhs.type->quantization;
    op.require(got.storage == wanted.storage, 3, [&] {
      return Violation{str("storage_type(", value.name, ")"), std::string(info(got.storage).name),
                       str(info(wanted.storage).name, " = storage_type(lhs)")};
    });
    op.require(got.expressed == wanted.expressed, 4, [&] {
      return Violation{str("expressed_type(", value.name, ")"),
                       std::string(info(got.expressed).name),
                       str(info(wanted.expressed).name, " = expressed_type(lhs)")};
    });
  }
  const bool per_axis = is_per_axis_quantized(*lhs.type) || is_per_axis_quantized(*rhs.type);
  op.require(per_axis == is_per_axis_quantized(*result.type), 5, [&] {
    return Violation{"type(result)", op.type_of(result),
                     per_axis ? "one that is quantized per axis, as an operand is"
                              : "one that is quantized per tensor, as the operands are"};
  });
  same_quantized_axis(op, 6, lhs, result);
  same_quantized_axis(op, 7, rhs, result);
  op.same_shape(1, rhs, lhs);
  op.same_shape(1, result, lhs);
}

}  // namespace

void verify_add(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs"), rhs = op.operand(1, "rhs"), result = op.result();
  const bool quantized =
      is_quantized(*lhs.type) || is_quantized(*rhs.type) || is_quantized(*result.type);
  if (quantized) return add_quantized(op, lhs, rhs, result);
  op.same_type(1, rhs, lhs);
  op.same_type(1, result, lhs);
}

void verify_clamp(const OpVerifier& op) {
  const NamedValue low = op.operand(0, "min"), operand = op.operand(1, "operand"),
                   high = op.operand(2, "max");
  if (low.rank() != 0) op.same_shape(1, low, operand);
  if (high.rank() != 0) op.same_shape(2, high, operand);
  op.same_baseline_element(3, low, operand);
  op.same_baseline_element(3, high, operand);
  op.same_baseline_type(4, op.result(), operand);
}

void verify_compare(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs"), rhs = op.operand(1, "rhs");
  op.same_baseline_element(1, rhs, lhs);
  op.same_shape(2, rhs, lhs);
  op.same_shape(2, op.result(), lhs);
  const std::string_view word = op.word("compare_type");
  if (word.empty() || word == "NOTYPE" || is_quantized(*lhs.type)) return;
  const std::string_view wanted = is_signed_integer(*lhs.type) ? "SIGNED"
                                  : is_unsigned_integer(*lhs.type) || is_boolean(*lhs.type)
                                      ? "UNSIGNED"
                                      : "FLOAT";
  const bool total = word == "TOTALORDER" && is_float(*lhs.type);
  op.require(word == wanted || total, 3, [&] {
    return Violation{str("compare_type of ", op.type_of(lhs)), std::string(word),
                     str(wanted, is_float(*lhs.type) ? " or TOTALORDER" : "")};
  });
}

void verify_complex(const OpVerifier& op) {
  const NamedValue lhs = op.operand(0, "lhs"), result = op.result();
  op.same_type(1, op.operand(1, "rhs"), lhs);
  op.same_shape(2, result, lhs);
  const bool fits =
      is_complex(*result.type) && complex_part(result.type->element) == lhs.type->element;
  op.require(fits, 3, [&] {
    return Violation{"element_type(result)", op.type_of(result),
                     str("complex numbers of ", info(lhs.type->element).name)};
  });
}

void verify_is_finite(const OpVerifier& op) {
  op.same_shape(1, op.result(0, "y"), op.operand(0, "x"));
}

void verify_reduce_precision(const OpVerifier& op) {
  op.same_baseline_type(1, op.result(0, "output"), op.operand(0, "operand"));
  op.at_least(2, "exponent_bits", {op.integer("exponent_bits")}, 1);
  op.at_least(3, "mantissa_bits", {op.integer("mantissa_bits")}, 0);
}

void verify_select(const OpVerifier& op) {
  const NamedValue pred = op.operand(0, "pred"), on_true = op.operand(1, "on_true");
  if (pred.rank() != 0) op.same_shape(1, pred, on_true);
  op.same_baseline_type(2, op.operand(2, "on_false"), on_true);
  op.same_baseline_type(2, op.result(), on_true);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
