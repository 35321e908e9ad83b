// custom_call @mhlo.NAME: what XLA's translation of HLO to StableHLO, which PyTorch/XLA uses,
// writes for instructions that StableHLO has no op for. Options are in the dictionary
// mhlo.attributes.
#include "systolic/base/text.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

constexpr std::string_view formulas[] = {"acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"};

const Attribute& option(const OpImport& op, std::string_view name) {
  const Attribute* options = op.find("mhlo.attributes");
  const Attribute* found = options == nullptr ? nullptr : stablehlo::find(options->fields, name);
  if (found == nullptr) op.fail("mhlo.attributes", "", str("a dictionary with ", name));
  return *found;
}

}  // namespace

void import_mhlo_call(OpImport& op) {
  constexpr size_t dialect = 5;  // "mhlo."
  const std::string_view name = op.required("call_target_name").text.substr(dialect);
  if (name == "erf") return op.set(ir::unary(ir::OpCode::erf, op.operand(0)));
  if (name == "tan") return op.set(ir::unary(ir::OpCode::tan, op.operand(0)));
  for (std::string_view formula : formulas) {
    if (formula == name) return op.set(chlo_unary(op, str("chlo.", name)));
  }
  if (name == "topk") {
    return op.divide(first_in_order(op, option(op, "k").integer, option(op, "largest").integer));
  }
  op.lack(str("mhlo.", name));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
