// Calls of functions that somebody has registered, with what the call tells them.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/handlers.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

constexpr int most_nesting = 8;

DType dtype_of_attribute(const OpImport& op, const Attribute& attribute) {
  if (attribute.kind == Attribute::Kind::boolean) return DType::pred;
  if (attribute.type == no_type) {
    return attribute.kind == Attribute::Kind::floating ? DType::f64 : DType::i64;
  }
  const Type& type = op.importer().program().type(attribute.type);
  const std::optional<DType> dtype = info(type.element).dtype;
  if (!dtype) op.lack(str("an option of ", info(type.element).name));
  return *dtype;
}

std::vector<ir::CustomOption> options_of(const OpImport& op, const Attribute& dictionary,
                                         int depth);

// A list, or a number where it is written as an array without axes.
Literal array_of(const OpImport& op, const Attribute& attribute) {
  const Program& program = op.importer().program();
  if (attribute.kind == Attribute::Kind::dense_array) {
    const std::vector<int64_t> numbers = read_integers(program, attribute);
    return Literal::from(numbers, {static_cast<int64_t>(numbers.size())})
        .convert(dtype_of_attribute(op, attribute));
  }
  const Shape shape(program.type(attribute.type).dims);
  const DenseValue dense = read_dense(program, attribute, dtype_of_attribute(op, attribute), shape);
  if (dense.splat && shape.elements() != 1) op.lack("an option that is one number many times");
  return dense.literal.reshape(shape.rank() == 0 ? Shape{} : Shape{shape.elements()});
}

ir::CustomOption option_of(const OpImport& op, const NamedAttribute& named, int depth) {
  const Program& program = op.importer().program();
  const Attribute& value = named.value;
  ir::CustomOption option{std::string(named.name), {}};
  switch (value.kind) {
    case Attribute::Kind::boolean:
      option.value = Literal::scalar(value.integer != 0);
      return option;
    case Attribute::Kind::integer:
    case Attribute::Kind::floating:
      option.value = read_dense(program, value, dtype_of_attribute(op, value), {}).literal;
      return option;
    case Attribute::Kind::string:
      if (value.text.find('\\') != std::string_view::npos) op.lack("an option with escapes");
      option.value = std::string(value.text);
      return option;
    case Attribute::Kind::dense_array:
    case Attribute::Kind::elements:
      option.value = array_of(op, value);
      return option;
    case Attribute::Kind::dictionary:
      option.value = options_of(op, value, depth + 1);
      return option;
    default:
      op.lack(str("option ", named.name, " = ", attribute_text(program, value)),
              "numbers, lists of numbers, texts and dictionaries of them are known");
  }
}

std::vector<ir::CustomOption> options_of(const OpImport& op, const Attribute& dictionary,
                                         int depth) {
  if (depth > most_nesting) op.lack(str("options nested deeper than ", most_nesting));
  std::vector<ir::CustomOption> options;
  for (const NamedAttribute& named : dictionary.fields) {
    options.push_back(option_of(op, named, depth));
  }
  std::sort(options.begin(), options.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return options;
}

// JAX writes the options beside the op's own attributes, since VHLO's older versions had none.
std::vector<ir::CustomOption> options_of(const OpImport& op) {
  for (const char* name : {"mhlo.backend_config", "backend_config"}) {
    const Attribute* found = op.find(name);
    if (found != nullptr && found->kind == Attribute::Kind::dictionary) {
      return options_of(op, *found, 0);
    }
  }
  const Attribute* text = op.find("backend_config");
  if (text != nullptr && !text->text.empty()) op.lack("options as a text");
  return {};
}

// dense<[0, 1]> : tensor<2xindex>
ir::Axes layout_of(const OpImport& op, const Attribute& attribute) {
  const Program& program = op.importer().program();
  if (attribute.kind != Attribute::Kind::elements || attribute.type == no_type) {
    return read_integers(program, attribute);
  }
  const Shape shape(program.type(attribute.type).dims);
  const Literal axes = read_dense(program, attribute, DType::i64, shape).literal;
  const auto numbers = axes.data<int64_t>();
  return {numbers.begin(), numbers.end()};
}

std::vector<ir::Axes> layouts_of(const OpImport& op, std::string_view name,
                                 std::span<const ir::Type> types) {
  std::vector<ir::Axes> layouts;
  if (const Attribute* found = op.find(name)) {
    for (const Attribute& item : found->items) {
      layouts.push_back(layout_of(op, item));
    }
    return layouts;
  }
  for (const ir::Type& type : types) {
    ir::Axes& layout = layouts.emplace_back();
    for (int axis = type.shape.rank(); axis-- > 0;) layout.push_back(axis);
  }
  return layouts;
}

std::vector<std::pair<int64_t, int64_t>> aliases_of(const OpImport& op) {
  std::vector<std::pair<int64_t, int64_t>> aliases;
  const Attribute* found = op.find("output_operand_aliases");
  if (found == nullptr) return aliases;
  for (const Attribute& alias : found->items) {
    const ir::Axes result = op.field_axes(alias, "output_tuple_indices");
    if (result.size() > 1 || !op.field_axes(alias, "operand_tuple_indices").empty()) {
      op.lack("a part of a tuple that shares memory");
    }
    aliases.emplace_back(result.empty() ? 0 : result[0],
                         op.field_integer(alias, "operand_index", 0));
  }
  return aliases;
}

}  // namespace

void import_custom_function(OpImport& op) {
  if (op.boolean("has_side_effect", false)) {
    op.lack("a custom function with side effects", "what nobody reads may not be computed");
  }
  std::vector<ir::Type> given, wanted;
  for (const ir::Value& operand : op.operands()) given.push_back(operand.type());
  for (size_t i = 0; i < op.op().results.size(); ++i) wanted.push_back(op.static_type(i));
  ir::CustomCallAttributes call;
  call.call_target_name = op.required("call_target_name").text;
  call.options = options_of(op);
  call.operand_layouts = layouts_of(op, "operand_layouts", given);
  call.result_layouts = layouts_of(op, "result_layouts", wanted);
  call.output_operand_aliases = aliases_of(op);
  op.set_arrays(
      op.builder().append(ir::OpCode::custom_call, op.operands(), std::move(call), {}, wanted));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
