#include "systolic/stablehlo/verify/rules/quantized_product.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_quantized_product(const OpVerifier& op, const QuantizedLabels& labels) {
  const NamedValue lhs = op.operand(0, "lhs"), rhs = op.operand(1, "rhs"), result = op.result();
  const bool both = is_quantized(*lhs.type);
  op.require(is_quantized(*rhs.type) && is_quantized(*result.type) == both, labels.quantized, [&] {
    return Violation{"types of (lhs, rhs, result)",
                     str(op.type_of(lhs), ", ", op.type_of(rhs), ", ", op.type_of(result)),
                     "all quantized, or rhs alone"};
  });
  const Quantization& weights = *rhs.type->quantization;
  if (!both) {
    for (const NamedValue& value : {lhs, result}) {
      op.require(value.type->element == weights.expressed, labels.hybrid, [&] {
        return Violation{str("element_type(", value.name, ")"), op.type_of(value),
                         str(info(weights.expressed).name, " = expressed_type(rhs)")};
      });
    }
    return;
  }
  const Quantization& left = *lhs.type->quantization;
  op.require(weights.storage == left.storage, labels.storage, [&] {
    return Violation{"storage_type(rhs)", std::string(info(weights.storage).name),
                     str(info(left.storage).name, " = storage_type(lhs)")};
  });
  for (const NamedValue& value : {rhs, result}) {
    const ElementType expressed = value.type->quantization->expressed;
    op.require(expressed == left.expressed, labels.expressed, [&] {
      return Violation{str("expressed_type(", value.name, ")"), std::string(info(expressed).name),
                       str(info(left.expressed).name, " = expressed_type(lhs)")};
    });
  }
  const bool fits = !is_per_tensor_quantized(*rhs.type) || is_per_tensor_quantized(*result.type);
  op.require(fits, labels.per_tensor, [&] {
    return Violation{"type(result)", op.type_of(result),
                     "one that is quantized per tensor, as rhs is"};
  });
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
