// Calls of functions that somebody has registered, with what the call tells them.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/import/handlers.h"
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

// JAX writes the options next to the op's own attributes, since VHLO's older versions had none.
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

// The types of an op's operands or results, and where those that are arrays stand among them all:
// tokens are nothing but the order of the program, which calls keep anyway.
struct Arrays {
  std::vector<ir::Type> types;
  std::vector<size_t> places;
};

Arrays operand_arrays(const OpImport& op) {
  Arrays arrays;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    const Slot& slot = op.slot(i);
    if (slot.size() > 1) op.lack("a custom function of tuples");
    if (slot.empty()) continue;
    arrays.types.push_back(slot[0].type());
    arrays.places.push_back(i);
  }
  return arrays;
}

Arrays result_arrays(const OpImport& op) {
  Arrays arrays;
  for (size_t i = 0; i < op.op().results.size(); ++i) {
    if (op.result_type(i).kind == Type::Kind::token) continue;
    arrays.types.push_back(op.static_type(i));
    arrays.places.push_back(i);
  }
  return arrays;
}

std::vector<ir::Axes> layouts_of(const OpImport& op, std::string_view name, const Arrays& arrays) {
  const Attribute* found = op.find(name);
  std::vector<ir::Axes> layouts;
  for (size_t i = 0; i < arrays.types.size(); ++i) {
    if (found == nullptr) {
      ir::Axes& layout = layouts.emplace_back();
      for (int axis = arrays.types[i].shape.rank(); axis-- > 0;) layout.push_back(axis);
    } else if (arrays.places[i] < found->items.size()) {
      layouts.push_back(layout_of(op, found->items[arrays.places[i]]));
    }
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

ir::CustomCallAttributes attributes_of(const OpImport& op, const Arrays& given,
                                       const Arrays& wanted) {
  ir::CustomCallAttributes call;
  call.call_target_name = op.required("call_target_name").text;
  call.options = options_of(op);
  call.operand_layouts = layouts_of(op, "operand_layouts", given);
  call.result_layouts = layouts_of(op, "result_layouts", wanted);
  call.output_operand_aliases = aliases_of(op);
  const bool tokens =
      given.types.size() != op.operand_count() || wanted.types.size() != op.op().results.size();
  if (tokens && !call.output_operand_aliases.empty()) {
    op.lack("arrays that share memory, beside tokens");
  }
  call.has_side_effect = op.boolean("has_side_effect", false);
  call.once = call.has_side_effect && !op.importer().is_per_core();
  return call;
}

// The device's part of an array.
ir::Value part_of(ir::Value whole, const Parts& parts, size_t device) {
  if (parts.whole(whole.shape())) return whole;
  const ir::Axes& start = parts.start[device];
  ir::Axes limit = start;
  for (size_t axis = 0; axis < limit.size(); ++axis) limit[axis] += parts.size[axis];
  return ir::slice(whole, start, limit);
}

// A call for each device, in their order. Operand i that is an array lies as parts[i] says.
void call_on_parts(OpImport& op, const Arrays& given, const std::vector<Parts>& parts) {
  const Arrays wanted = result_arrays(op);
  if (!wanted.types.empty()) op.lack("results of a call on each device's part of its operands");
  const ir::CustomCallAttributes call = attributes_of(op, given, wanted);
  for (size_t device = 0; device < parts[0].start.size(); ++device) {
    std::vector<ir::Value> own;
    for (size_t place : given.places) {
      own.push_back(part_of(op.operand(place), parts[place], device));
    }
    op.builder().append(ir::OpCode::custom_call, own, call, {}, {});
  }
  op.divide({});
}

}  // namespace

void import_custom_function(OpImport& op) {
  const Arrays given = operand_arrays(op), wanted = result_arrays(op);
  const auto& operand_parts = op.importer().options().operand_parts;
  if (operand_parts && !op.importer().is_in_manual_part()) {
    const std::vector<Parts> parts = operand_parts(op.op());
    if (!parts.empty()) return call_on_parts(op, given, parts);
  }
  op.divide(op.builder().append(ir::OpCode::custom_call, op.operands(),
                                attributes_of(op, given, wanted), {}, wanted.types));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
