// custom_call, of which the specification constrains nothing: what StableHLO's own dialect asks of
// its layouts, aliases and configuration.
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/print.h"
#include "systolic/stablehlo/verify/rules/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

// One layout a value: an order of its axes, the fastest first; none for values that are not
// tensors.
void verify_layouts(const OpVerifier& op, std::string_view name, const Attribute& layouts,
                    const std::vector<TypeId>& types, std::string_view side) {
  op.size_is(0, name, layouts.items.size(), static_cast<int64_t>(types.size()));
  for (size_t i = 0; i < types.size(); ++i) {
    const Type& type = op.program().type(types[i]);
    if (type.kind == Type::Kind::tuple) {
      op.fail(0, {str("type of ", side, " ", i, ", which has a layout"),
                  type_text(op.program(), types[i]), "a tensor"});
    }
    Axes order = read_integers(op.program(), layouts.items[i]);
    const size_t rank = type.kind == Type::Kind::tensor ? type.dims.size() : 0;
    op.size_is(0, str(name, "[", i, "]"), order.size(), static_cast<int64_t>(rank));
    op.in_range(0, str(name, "[", i, "]"), order, static_cast<int64_t>(rank));
    op.unique(0, str(name, "[", i, "]"), std::move(order));
  }
}

std::vector<TypeId> types_of(const NamedValues& values) {
  std::vector<TypeId> types;
  for (const NamedValue& value : values) types.push_back(value.id);
  return types;
}

// The results, or the parts of the one tuple.
std::vector<TypeId> result_types(const OpVerifier& op) {
  const std::vector<TypeId> types = types_of(op.results());
  if (types.size() != 1) return types;
  const Type& only = op.program().type(types[0]);
  return only.kind == Type::Kind::tuple ? only.parts : types;
}

// The part of a value that a path through its tuples leads to.
TypeId part_of(const OpVerifier& op, std::string_view name, const NamedValue& value,
               const Axes& path) {
  TypeId type = value.id;
  for (int64_t index : path) {
    const Type& outer = op.program().type(type);
    const bool tuple = outer.kind == Type::Kind::tuple;
    op.in_range(0, name, {index}, tuple ? static_cast<int64_t>(outer.parts.size()) : 0);
    type = outer.parts[static_cast<size_t>(index)];
  }
  return type;
}

void verify_alias(const OpVerifier& op, const Attribute& alias) {
  const NamedValues operands = op.operands("operands"), results = op.results();
  const int64_t index = op.field_integer(alias, "operand_index");
  op.in_range(0, "operand_index", {index}, static_cast<int64_t>(operands.size()));
  Axes path = op.field_axes(alias, "output_tuple_indices");
  size_t result = 0;
  if (results.size() != 1) {  // the first number picks one of several results
    const int64_t first = path.empty() ? 0 : path.front();
    op.in_range(0, "output_tuple_indices", {first}, static_cast<int64_t>(results.size()));
    result = static_cast<size_t>(first);
    if (!path.empty()) path.erase(path.begin());
  }
  const TypeId output = part_of(op, "output_tuple_indices", results[result], path),
               operand = part_of(op, "operand_tuple_indices", operands[static_cast<size_t>(index)],
                                 op.field_axes(alias, "operand_tuple_indices"));
  op.require(same_type(op.program(), output, operand), 0, [&] {
    return Violation{"output_operand_aliases: type of the result", type_text(op.program(), output),
                     str(type_text(op.program(), operand), ", the operand's")};
  });
}

// The typed interface takes a dictionary, the ones before it a string.
void verify_config(const OpVerifier& op) {
  const Attribute* config = op.find("backend_config");
  if (config == nullptr) return;
  constexpr int64_t typed = 4;
  const int64_t version = op.integer("api_version", 1);
  const auto wanted = version == typed ? Attribute::Kind::dictionary : Attribute::Kind::string;
  op.require(config->kind == wanted, 0, [&] {
    return Violation{str("backend_config of api_version ", version),
                     attribute_text(op.program(), *config),
                     version == typed ? "a dictionary" : "a string"};
  });
}

}  // namespace

void verify_custom_call(const OpVerifier& op) {
  const Attribute *operands = op.find("operand_layouts"), *results = op.find("result_layouts");
  op.require((operands == nullptr) == (results == nullptr), 0, [] {
    return Violation{"layouts", "those of one side", "operand_layouts and result_layouts, or none"};
  });
  if (operands != nullptr) {
    verify_layouts(op, "operand_layouts", *operands, types_of(op.operands("operands")), "operand");
    verify_layouts(op, "result_layouts", *results, result_types(op), "result");
  }
  if (const Attribute* aliases = op.find("output_operand_aliases")) {
    for (const Attribute& alias : aliases->items) verify_alias(op, alias);
  }
  verify_config(op);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
