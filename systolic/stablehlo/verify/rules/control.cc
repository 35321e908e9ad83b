// Branches, loops, tuples, composites.
#include "systolic/stablehlo/scanner.h"
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

void takes_nothing(const OpVerifier& op, int label, size_t region, const std::string& name) {
  const size_t count = op.op().regions[region].arguments.size();
  op.require(count == 0, label, [&] {
    return Violation{str("input_types(", name, ")"), str(count, " arguments"), "none"};
  });
}

// The branches give the same types, which are the op's.
void verify_branches(const OpVerifier& op, const std::vector<std::string>& names, int inputs,
                     int same, int results) {
  for (size_t i = 0; i < names.size(); ++i) takes_nothing(op, inputs, i, names[i]);
  const NamedValues wanted = op.returned(0, names[0]);
  for (size_t i = 1; i < names.size(); ++i) {
    op.same_types(same, op.returned(i, names[i]), wanted, str("output_types(", names[i], ")"));
  }
  op.same_types(results, op.results(), wanted, "results");
}

}  // namespace

void verify_case(const OpVerifier& op) {
  op.require(!op.op().regions.empty(), 1, [] {
    return Violation{"size(branches)", "0", "1 or more"};
  });
  std::vector<std::string> names;
  for (size_t i = 0; i < op.op().regions.size(); ++i) names.push_back(str("branches[", i, "]"));
  verify_branches(op, names, 2, 3, 4);
}

void verify_if(const OpVerifier& op) {
  verify_branches(op, {"true_branch", "false_branch"}, 1, 2, 3);
}

void verify_while(const OpVerifier& op) {
  const NamedValues operands = op.operands("operand");
  op.same_types(1, op.arguments(0, "argument of cond"), operands, "arguments of cond");
  const NamedValues goes_on = op.returned(0, "result of cond");
  op.size_is(1, "results of cond", goes_on.size(), 1);
  const bool scalar = goes_on[0].type->kind == Type::Kind::tensor && is_boolean(*goes_on[0].type) &&
                      goes_on[0].rank() == 0;
  op.require(scalar, 1, [&] {
    return Violation{"type(result of cond)", op.type_of(goes_on[0]), "tensor<i1>"};
  });
  op.same_types(2, op.arguments(1, "argument of body"), operands, "arguments of body");
  op.same_types(2, op.returned(1, "result of body"), operands, "results of body");
  op.same_types(3, op.results(), operands, "results");
}

void verify_optimization_barrier(const OpVerifier& op) {
  for (const NamedValue& operand : op.operands("operand")) {
    if (!is_per_axis_quantized(*operand.type)) continue;
    op.fail_as('i', 1,
               {str("type(", operand.text(), ")"), op.type_of(operand),
                "numbers, or numbers quantized per tensor"});
  }
  op.same_types(1, op.results("result"), op.operands("operand"), "result");
}

void verify_tuple(const OpVerifier& op) {
  const NamedValue result = op.result();
  const NamedValues values = op.operands("val");
  op.require(result.type->kind == Type::Kind::tuple, 1, [&] {
    return Violation{"type(result)", op.type_of(result), "a tuple of the operands' types"};
  });
  op.size_is(1, "type(result)", result.type->parts.size(), static_cast<int64_t>(values.size()));
  for (const NamedValue& value : values) {
    const NamedValue part{"tuple_element_types(result)", value.index,
                          result.type->parts[static_cast<size_t>(value.index)], nullptr};
    op.same_type(1, part, value);
  }
}

void verify_get_tuple_element(const OpVerifier& op) {
  const NamedValue operand = op.operand(0, "operand");
  if (operand.type->kind != Type::Kind::tuple) {
    op.fail_as('i', 1, {"type(operand)", op.type_of(operand), "a tuple"});
  }
  const int64_t index = op.integer("index");
  op.in_range(1, "index", {index}, static_cast<int64_t>(operand.type->parts.size()));
  const NamedValue part{"tuple_element_types(operand)", index,
                        operand.type->parts[static_cast<size_t>(index)], nullptr};
  op.same_type(2, op.result(), part);
}

namespace {

// [a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+
bool is_namespaced_op_name(std::string_view name) {
  size_t parts = 0;
  while (true) {
    const size_t dot = name.find('.');
    const std::string_view part = name.substr(0, dot);
    if (part.empty() || (parts == 0 && !is_letter(part[0]))) return false;
    for (char c : part) {
      if (!is_word(c) || (parts == 0 && c == '$')) return false;
    }
    ++parts;
    if (dot == std::string_view::npos) return parts > 1;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

void verify_composite(const OpVerifier& op) {
  const std::string_view name = op.required("name").text;
  op.require(is_namespaced_op_name(name), 1, [&] {
    return Violation{"name", str("\"", name, "\""), "a name such as \"my_namespace.my_op\""};
  });
  const std::string_view callee = op.required("decomposition").text;
  const Function* function = op.program().find(callee);
  op.require(function != nullptr, 2, [&] {
    return Violation{"decomposition", str("@", callee), "a function of the module"};
  });
  const NamedValues inputs = op.operands("inputs"), results = op.results();
  op.size_is(3, "inputs", inputs.size(), static_cast<int64_t>(function->body.arguments.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NamedValue wanted{"input_types(decomposition)", static_cast<int64_t>(i),
                            function->type(function->body.arguments[i]), nullptr};
    op.same_type(3, inputs[i], wanted);
  }
  op.size_is(4, "results", results.size(), static_cast<int64_t>(function->result_types.size()));
  for (size_t i = 0; i < results.size(); ++i) {
    const NamedValue wanted{"output_types(decomposition)", static_cast<int64_t>(i),
                            function->result_types[i], nullptr};
    op.same_type(4, results[i], wanted);
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
