// Shape rules of ops that run regions or functions.
#include "systolic/base/text.h"
#include "systolic/ir/infer/infer_rules.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// Every region takes nothing and returns what region 0 returns.
std::vector<Type> branch_types(const InferInput& input, std::string_view arguments_label,
                               std::string_view results_label) {
  const std::vector<Type> types = region_results(input, 0);
  for (size_t i = 0; i < input.regions.size(); ++i) {
    check_region_arguments(input, arguments_label, i, {});
    const std::vector<Type> others = region_results(input, i);
    if (others == types) continue;
    raise_constraint(
        input, results_label,
        str("branch ", i, " returns (", join(others), "), branch 0 (", join(types), ")"),
        "equal types");
  }
  return types;
}

}  // namespace

std::vector<Type> infer_case(const InferInput& input) {
  if (!(input.operands[0] == Type{DType::i32, {}})) {
    raise_constraint(input, "case_i1", str("index is ", to_string(input.operands[0])), "i32[]");
  }
  return branch_types(input, "case_c2", "case_c3");
}

std::vector<Type> infer_if(const InferInput& input) {
  if (!(input.operands[0] == Type{DType::pred, {}})) {
    raise_constraint(input, "if_i1", str("pred is ", to_string(input.operands[0])), "pred[]");
  }
  return branch_types(input, "if_c1", "if_c2");
}

std::vector<Type> infer_optimization_barrier(const InferInput& input) {
  return {input.operands.begin(), input.operands.end()};
}

std::vector<Type> infer_while(const InferInput& input) {
  check_region_arguments(input, "while_c1", 0, input.operands);
  check_region_arguments(input, "while_c2", 1, input.operands);
  const std::vector<Type> condition = region_results(input, 0);
  if (condition.size() != 1 || !(condition[0] == Type{DType::pred, {}})) {
    raise_constraint(input, "while_c1", str("the condition returns (", join(condition), ")"),
                     "(pred[])");
  }
  std::vector<Type> results(input.operands.begin(), input.operands.end());
  const std::vector<Type> carried = region_results(input, 1);
  if (carried != results) {
    raise_constraint(input, "while_c2",
                     str("the body takes (", join(results), ") and returns (", join(carried), ")"),
                     "equal types", "a loop's values keep their shapes and element types");
  }
  return results;
}

std::vector<Type> infer_call(const InferInput& input) {
  const std::string& name = attributes_of<CallAttributes>(input).callee;
  if (input.module == nullptr) return {input.requested.begin(), input.requested.end()};
  const Function* callee = input.module->find(name);
  if (callee == nullptr) {
    raise_constraint(input, "call_callee", str("there is no function '", name, "'"),
                     "a function of the module");
  }
  std::vector<Type> wanted, results;
  for (ValueId value : callee->body.arguments) wanted.push_back(callee->type(value));
  for (ValueId value : callee->body.results) results.push_back(callee->type(value));
  const std::vector<Type> got(input.operands.begin(), input.operands.end());
  if (got != wanted) {
    raise_constraint(input, "call_operands", str("'", name, "' is given (", join(got), ")"),
                     str("(", join(wanted), ")"));
  }
  return results;
}

}  // namespace ir
}  // namespace systolic::inline v0
