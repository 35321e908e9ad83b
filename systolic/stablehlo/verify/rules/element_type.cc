// Ops that change the type of elements, and constants.
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

ElementType stored(const NamedValue& value) {
  return value.type->quantization ? value.type->quantization->storage : value.type->element;
}

}  // namespace

void verify_bitcast_convert(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  op.require(is_complex(*operand.type) == is_complex(*result.type), 2, [&] {
    return Violation{"element_type(result)", op.type_of(result),
                     str("complex numbers where the operand has them, ", op.type_of(operand))};
  });
  const int from = info(stored(operand)).bits, to = info(stored(result)).bits;
  if (from == to) return op.same_shape(1, result, operand);
  // The one with fewer bits has an axis more, whose parts make up an element of the other.
  const bool splits = to < from;
  const NamedValue &narrow = splits ? result : operand, &wide = splits ? operand : result;
  Axes wanted = wide.type->dims;
  wanted.push_back(std::max(from, to) / std::min(from, to));
  op.shape_is(1, narrow, wanted);
}

// Elements of quantized constants are written as what is stored.
void verify_constant(const OpVerifier& op) {
  const NamedValue output = op.result(0, "output");
  op.known_shape(output, false);
  const TypeId written = op.required("value").type;
  if (written == no_type || written == output.id) return;
  const Type& value = op.program().type(written);
  const bool fits =
      value.kind == Type::Kind::tensor && same_shape(value.dims, output.type->dims) &&
      (same_element(value, *output.type) ||
       (is_quantized(*output.type) && !is_quantized(value) && value.element == stored(output)));
  op.require(fits, 1, [&] {
    NamedValue constant = output;
    constant.id = written;
    return Violation{"type(output)", op.type_of(output),
                     str(op.type_of(constant), " = type(value)")};
  });
}

void verify_convert(const OpVerifier& op) {
  op.same_shape(1, op.result(), op.operand(0, "operand"));
}

void verify_uniform_dequantize(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  op.same_shape(1, result, operand);
  if (!is_quantized(*operand.type)) return;  // uniform_dequantize_i1
  const ElementType expressed = operand.type->quantization->expressed;
  op.require(!is_quantized(*result.type) && result.type->element == expressed, 2, [&] {
    return Violation{"element_type(result)", op.type_of(result),
                     str(info(expressed).name, " = expressed_type(operand)")};
  });
}

void verify_uniform_quantize(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand"), result = op.result();
  op.same_shape(1, result, operand);
  const ElementType wanted =
      operand.type->quantization ? operand.type->quantization->expressed : operand.type->element;
  const bool fits = is_quantized(*result.type) && result.type->quantization->expressed == wanted;
  op.require(fits, 2, [&] {
    return Violation{"expressed_type(result)", op.type_of(result),
                     str(info(wanted).name, ", as ", op.type_of(operand))};
  });
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
