// Functions.
#include "systolic/base/text.h"
#include "systolic/stablehlo/bytecode/ir_reader.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

// [{...}, {...}]: the attributes of each argument or result.
std::vector<std::vector<NamedAttribute>> attributes_of_each(const Bytes& bytes, Attribute* list,
                                                            size_t count) {
  std::vector<std::vector<NamedAttribute>> result(count);
  if (list == nullptr || list->items.empty()) return result;
  if (list->items.size() != count) {
    bytes.fail("attributes of a function's arguments or results", str(list->items.size()),
               str(count));
  }
  for (size_t i = 0; i < count; ++i) result[i] = std::move(list->items[i].fields);
  return result;
}

// What a function's attributes say of its signature.
struct SignatureAttributes {
  Attribute type, arguments, results;
};

// Sets the function's name, visibility and other attributes.
SignatureAttributes split_attributes(std::vector<NamedAttribute>& attributes, Function& function) {
  SignatureAttributes signature;
  for (NamedAttribute& attribute : attributes) {
    if (attribute.name == "sym_name") {
      function.name = attribute.value.text;
    } else if (attribute.name == "sym_visibility") {
      function.visibility = attribute.value.text;
    } else if (attribute.name == "function_type") {
      signature.type = std::move(attribute.value);
    } else if (attribute.name == "arg_attrs") {
      signature.arguments = std::move(attribute.value);
    } else if (attribute.name == "res_attrs") {
      signature.results = std::move(attribute.value);
    } else {
      function.attributes.push_back(std::move(attribute));
    }
  }
  return signature;
}

}  // namespace

void IrReader::function(Bytes& bytes, OpHead head) {
  Function& function = program_.functions.emplace_back();
  function.offset = head.offset;
  auto [type, arguments, results] = split_attributes(head.attributes, function);
  if (function.name.empty()) bytes.fail("a function", "no name", "sym_name");
  if (!function_names_.insert(function.name).second) {
    bytes.fail(str("function @", function.name, " is defined a second time"));
  }
  if (type.kind != Kind::type || program_.type(type.type).kind != Type::Kind::function) {
    bytes.fail(str("function @", function.name), "no type", "function_type");
  }
  const Type& signature = program_.type(type.type);
  const auto first_result = signature.parts.begin() + static_cast<std::ptrdiff_t>(signature.inputs);
  const std::vector<TypeId> inputs(signature.parts.begin(), first_result);
  function.result_types.assign(first_result, signature.parts.end());
  function.argument_attributes = attributes_of_each(bytes, &arguments, inputs.size());
  function.result_attributes = attributes_of_each(bytes, &results, function.result_types.size());
  function_ = &function;
  scope_.clear();
  function_body(bytes, function, head);
  function_ = nullptr;
  scope_.clear();
  if (function.declared_only) {
    for (TypeId input : inputs) {
      function.body.arguments.push_back(static_cast<ValueId>(function.values.size()));
      function.values.push_back(input);
    }
  }
  std::vector<TypeId> got;
  for (ValueId argument : function.body.arguments) got.push_back(function.type(argument));
  if (got != inputs) {
    bytes.fail(str("the arguments of function @", function.name), "other types", "its type's");
  }
}

void IrReader::function_body(Bytes& bytes, Function& function, const OpHead& head) {
  if (head.region_count != 1) bytes.fail("a function", str(head.region_count, " regions"), "one");
  Bytes own = regions_of(bytes, head);
  const bool apart = head.isolated && reader_.sections().version >= with_lazy_regions;
  Bytes& region = apart ? own : bytes;
  const Bytes start = region;
  region_values(region, function.body, "func.func");
  function.declared_only = Bytes(start).varint() == 0;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
