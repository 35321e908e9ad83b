// Modules and functions in the generic form:
//   "builtin.module"() <{sym_name = "m"}> ({ "func.func"() <{function_type = ..., sym_name =
//   "main",
//   ...}> ({...}) : () -> () }) {mhlo.num_replicas = 1 : i32} : () -> ()
#include "systolic/base/error.h"
#include "systolic/stablehlo/parse/parser.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// Takes an attribute out of a list.
Attribute take(std::vector<NamedAttribute>& attributes, std::string_view name) {
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name != name) continue;
    Attribute value = std::move(attributes[i].value);
    attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(i));
    return value;
  }
  return {};
}

std::vector<std::vector<NamedAttribute>> dictionaries(const Attribute& list, size_t count) {
  std::vector<std::vector<NamedAttribute>> result(count);
  for (size_t i = 0; i < count && i < list.items.size(); ++i) result[i] = list.items[i].fields;
  return result;
}

}  // namespace

// "() <{...}>" after the name of an op.
std::vector<NamedAttribute> Parser::properties() {
  scan_.expect("(");
  scan_.expect(")");
  std::vector<NamedAttribute> attributes;
  if (scan_.accept("<{")) {
    attributes = fields('}');
    scan_.expect(">");
  }
  return attributes;
}

// "{...} : () -> ()" at the end of one.
void Parser::end_of_symbol(std::vector<NamedAttribute>& attributes) {
  attribute_dictionary(attributes);
  scan_.expect(":");
  scan_.expect("(");
  scan_.expect(")");
  scan_.expect("->");
  scan_.expect("(");
  scan_.expect(")");
  optional_location();
}

void Parser::generic_module() {
  scan_.expect("\"builtin.module\"");
  std::vector<NamedAttribute> attributes = properties();
  scan_.expect("(");
  scan_.expect("{");
  if (scan_.accept("^")) {
    scan_.suffix();
    scan_.expect(":");
  }
  module_body(true);
  scan_.expect(")");
  end_of_symbol(attributes);
  program_.name = take(attributes, "sym_name").text;
  program_.attributes = std::move(attributes);
}

namespace {

bool is_visibility(std::string_view text) {
  return text.empty() || text == "public" || text == "private" || text == "nested";
}

// Whether the function's arguments are those of a function's type.
bool takes_inputs_of(const Function& function, const Type& type) {
  if (function.body.arguments.size() != type.inputs) return false;
  for (size_t i = 0; i < type.inputs; ++i) {
    if (!(function.type(function.body.arguments[i]) == type.parts[i])) return false;
  }
  return true;
}

}  // namespace

void Parser::generic_function() {
  const size_t start = scan_.position();
  scan_.expect("\"func.func\"");
  begin_function(start);
  Function& function = *function_;
  std::vector<NamedAttribute> attributes = properties();
  scan_.expect("(");
  scan_.expect("{");
  const bool has_body = !scan_.next_is("}");
  region_body(function.body);
  scan_.expect(")");
  end_of_symbol(attributes);
  const Attribute name = take(attributes, "sym_name");
  if (name.kind != Attribute::Kind::string)
    scan_.fail_at(start, "sym_name", "a function has no name");
  name_function(std::string(name.text), start);
  const Attribute visibility = take(attributes, "sym_visibility");
  if (!is_visibility(visibility.text)) {
    scan_.fail_at(visibility.offset, "public, private or nested", "no such visibility");
  }
  function.visibility = visibility.text;
  const Attribute written = take(attributes, "function_type");
  if (written.kind != Attribute::Kind::type ||
      program_.type(written.type).kind != Type::Kind::function) {
    scan_.fail_at(start, "function_type = (...) -> ...", "a function has no type");
  }
  const Type type = program_.type(written.type);
  function.declared_only = !has_body;
  if (!has_body) {
    for (size_t i = 0; i < type.inputs; ++i) {
      function.body.arguments.push_back(define({}, type.parts[i], start));
    }
  }
  if (!takes_inputs_of(function, type))
    scan_.fail_at(start, "the arguments of its function_type", "a function takes others");
  function.result_types.assign(type.parts.begin() + static_cast<std::ptrdiff_t>(type.inputs),
                               type.parts.end());
  function.argument_attributes = dictionaries(take(attributes, "arg_attrs"), type.inputs);
  function.result_attributes =
      dictionaries(take(attributes, "res_attrs"), function.result_types.size());
  function.attributes = std::move(attributes);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
