#include "systolic/stablehlo/verify/op/op_verifier.h"

#include <algorithm>

#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// "3" or "[3, 4]"
std::string list_text(const Axes& values) {
  return values.size() == 1 ? str(values[0]) : str("[", join(values), "]");
}

std::string shape_text(const Axes& dims) {
  std::vector<std::string> sizes;
  for (int64_t size : dims) sizes.push_back(size == dynamic_size ? "?" : str(size));
  return str("[", join(sizes), "]");
}

// Has the specification labels for it?
bool is_specified(std::string_view op) {
  constexpr std::string_view dropped[] = {"stablehlo.broadcast", "stablehlo.dot",
                                          "stablehlo.set_dimension_size"};
  return op.substr(0, 10) == "stablehlo." &&
         std::find(std::begin(dropped), std::end(dropped), op) == std::end(dropped);
}

}  // namespace

NamedValues OpVerifier::operands(std::string_view name, size_t begin, size_t end) const {
  NamedValues values;
  for (size_t i = begin; i < std::min(end, op_.operands.size()); ++i) {
    values.push_back(value(op_.operands[i], name, static_cast<int64_t>(i - begin)));
  }
  return values;
}

NamedValues OpVerifier::results(std::string_view name) const {
  NamedValues values;
  for (ValueId id : op_.results) {
    values.push_back(value(id, name, static_cast<int64_t>(values.size())));
  }
  return values;
}

NamedValues OpVerifier::arguments(size_t region, std::string_view name) const {
  NamedValues values;
  for (ValueId id : op_.regions[region].arguments) {
    values.push_back(value(id, name, static_cast<int64_t>(values.size())));
  }
  return values;
}

NamedValues OpVerifier::returned(size_t region, std::string_view name) const {
  NamedValues values;
  const std::vector<Operation>& operations = op_.regions[region].operations;
  if (operations.empty()) return values;
  for (ValueId id : operations.back().operands) {
    values.push_back(value(id, name, static_cast<int64_t>(values.size())));
  }
  return values;
}

std::string OpVerifier::type_of(const NamedValue& value) const {
  return type_text(program_, value.id);
}

std::optional<Axes> OpVerifier::constant(size_t operand) const {
  const Operation* maker = makers_[static_cast<size_t>(op_.operands[operand])];
  const bool constant =
      maker != nullptr && (maker->name == "stablehlo.constant" || maker->name == "chlo.constant" ||
                           maker->name == "arith.constant");
  const Attribute* value = constant ? maker->find("value") : nullptr;
  if (value == nullptr || value->kind != Attribute::Kind::elements || value->type == no_type) {
    return std::nullopt;
  }
  const Type& type = program_.type(value->type);
  // One whose result is said to be another array is wrong, and not this op's to tell.
  if (type.dims != this->operand(operand, "operand").type->dims) return std::nullopt;
  constexpr int64_t most = 256;
  int64_t count = 1;
  for (int64_t size : type.dims) {
    if (size == dynamic_size || size > most || (count *= size) > most) return std::nullopt;
  }
  if (!is_integer(type) && type.element != ElementType::index) return std::nullopt;
  if (type.element != ElementType::index && !info(type.element).dtype) return std::nullopt;
  return read_integers(program_, *value);
}

void OpVerifier::fail_as(char letter, int number, Violation violation) const {
  if (number == 0 || !is_specified(op_.name)) fail_unlabelled(std::move(violation));
  std::string_view name = op_.name;
  name.remove_prefix(name.find('.') + 1);
  raise_at(program_, op_.offset,
           str(name, "_", std::string(1, letter), number, ": ", violation.what),
           std::move(violation.got), std::move(violation.wanted));
}

void OpVerifier::fail_unlabelled(Violation violation) const {
  raise_at(program_, op_.offset, str(op_.name, ": ", violation.what), std::move(violation.got),
           std::move(violation.wanted));
}

void OpVerifier::size_is(int constraint, std::string_view list, size_t size, int64_t wanted) const {
  const auto got = static_cast<int64_t>(size);
  require(got == wanted, constraint, [&] {
    return Violation{str("size(", list, ")"), str(got), str(wanted)};
  });
}

void OpVerifier::is(int constraint, std::string_view what, int64_t got, int64_t wanted) const {
  require(compatible(got, wanted), constraint, [&] {
    return Violation{std::string(what), str(got), str(wanted)};
  });
}

void OpVerifier::at_least(int constraint, std::string_view name, const Axes& values,
                          int64_t least) const {
  for (int64_t value : values) {
    require(value >= least, constraint, [&] {
      return Violation{std::string(name), list_text(values), str(least, " or more")};
    });
  }
}

void OpVerifier::in_range(int constraint, std::string_view name, const Axes& values,
                          int64_t limit) const {
  for (int64_t value : values) {
    require(value >= 0 && value < limit, constraint, [&] {
      return Violation{std::string(name), list_text(values), str("numbers in [0, ", limit, ")")};
    });
  }
}

void OpVerifier::unique(int constraint, std::string_view name, Axes values) const {
  Axes ordered = values;
  std::sort(ordered.begin(), ordered.end());
  const bool once = std::adjacent_find(ordered.begin(), ordered.end()) == ordered.end();
  require(once, constraint, [&] {
    return Violation{std::string(name), list_text(values), "each number once"};
  });
}

void OpVerifier::sorted(int constraint, std::string_view name, const Axes& values) const {
  require(std::is_sorted(values.begin(), values.end()), constraint, [&] {
    return Violation{std::string(name), list_text(values), "numbers in order"};
  });
}

void OpVerifier::same_rank(int constraint, const NamedValue& got, const NamedValue& wanted) const {
  require(got.rank() == wanted.rank(), constraint, [&] {
    return Violation{str("rank(", got.text(), ")"), str(got.rank()),
                     str(wanted.rank(), " = rank(", wanted.text(), ")")};
  });
}

void OpVerifier::same_dim(int constraint, const NamedValue& got, int64_t axis,
                          const NamedValue& wanted, int64_t wanted_axis) const {
  require(compatible(got.dim(axis), wanted.dim(wanted_axis)), constraint, [&] {
    return Violation{
        str("dim(", got.text(), ", ", axis, ")"), str(got.dim(axis)),
        str(wanted.dim(wanted_axis), " = dim(", wanted.text(), ", ", wanted_axis, ")")};
  });
}

void OpVerifier::shape_is(int constraint, const NamedValue& got, const Axes& wanted) const {
  require(stablehlo::same_shape(got.type->dims, wanted), constraint, [&] {
    return Violation{str("shape(", got.text(), ")"), shape_text(got.type->dims),
                     shape_text(wanted)};
  });
}

void OpVerifier::scalar_input(int input, const NamedValue& value) const {
  if (value.type->kind == Type::Kind::tensor && value.rank() == 0) return;
  fail_as('i', input, {str("type(", value.text(), ")"), type_of(value), "a scalar"});
}

void OpVerifier::known_shape(const NamedValue& value, bool may_be_bounded) const {
  const Axes bounds = bounds_of(*value.type);
  size_t unknown = 0, bounded = 0;
  for (size_t i = 0; i < value.type->dims.size(); ++i) {
    if (value.type->dims[i] != dynamic_size) continue;
    ++unknown;
    bounded += i < bounds.size() && bounds[i] != dynamic_size;
  }
  if (unknown == 0 || (may_be_bounded && unknown == 1 && bounded == 1)) return;
  fail_unlabelled({str("type(", value.text(), ")"), type_of(value),
                   may_be_bounded ? "sizes that are known, except for one that is bounded"
                                  : "sizes that are known"});
}

void OpVerifier::same_shape(int constraint, const NamedValue& got, const NamedValue& wanted) const {
  require(same_bounded_shape(*got.type, *wanted.type), constraint, [&] {
    return Violation{str("shape(", got.text(), ")"), shape_text(got.type->dims),
                     str(shape_text(wanted.type->dims), " = shape(", wanted.text(), ")")};
  });
}

namespace {

// The type of one element, for messages.
std::string element_of(const Program& program, const NamedValue& value) {
  const std::string text = type_text(program, value.id);
  if (value.type->kind != Type::Kind::tensor) return text;
  std::string_view element = std::string_view(text).substr(7, text.size() - 8);
  for (size_t i = 0; i < value.type->dims.size(); ++i) element.remove_prefix(element.find('x') + 1);
  return std::string(element.substr(
      0, element.size() - (value.type->encoding.empty() ? 0 : value.type->encoding.size() + 2)));
}

}  // namespace

void OpVerifier::same_element(int constraint, const NamedValue& got,
                              const NamedValue& wanted) const {
  require(stablehlo::same_element(*got.type, *wanted.type), constraint, [&] {
    return Violation{str("element_type(", got.text(), ")"), element_of(program_, got),
                     str(element_of(program_, wanted), " = element_type(", wanted.text(), ")")};
  });
}

void OpVerifier::same_baseline_element(int constraint, const NamedValue& got,
                                       const NamedValue& wanted) const {
  require(stablehlo::same_baseline_element(*got.type, *wanted.type), constraint, [&] {
    return Violation{str("baseline_element_type(", got.text(), ")"), element_of(program_, got),
                     str("that of ", wanted.text(), ", ", element_of(program_, wanted))};
  });
}

void OpVerifier::same_type(int constraint, const NamedValue& got, const NamedValue& wanted) const {
  require(stablehlo::same_type(program_, got.id, wanted.id), constraint, [&] {
    return Violation{str("type(", got.text(), ")"), type_of(got),
                     str(type_of(wanted), " = type(", wanted.text(), ")")};
  });
}

void OpVerifier::same_baseline_type(int constraint, const NamedValue& got,
                                    const NamedValue& wanted) const {
  const bool same =
      got.id == wanted.id || (same_bounded_shape(*got.type, *wanted.type) &&
                              stablehlo::same_baseline_element(*got.type, *wanted.type));
  require(same, constraint, [&] {
    return Violation{str("baseline_type(", got.text(), ")"), type_of(got),
                     str("that of ", wanted.text(), ", ", type_of(wanted))};
  });
}

void OpVerifier::same_types(int constraint, const NamedValues& got, const NamedValues& wanted,
                            std::string_view names) const {
  size_is(constraint, names, got.size(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < got.size(); ++i) same_type(constraint, got[i], wanted[i]);
}

NamedValues OpVerifier::reducer(int constraint, size_t region, std::string_view name,
                                const NamedValues& values) const {
  const NamedValues arguments = this->arguments(region, "argument"),
                    results = returned(region, "its result");
  const size_t count = values.size();
  require(arguments.size() == 2 * count && results.size() == count, constraint, [&] {
    return Violation{str("type(", name, ")"),
                     str(arguments.size(), " arguments, ", results.size(), " results"),
                     str(2 * count, " arguments, ", count, " results")};
  });
  for (size_t i = 0; i < count; ++i) {
    for (const NamedValue& argument : {arguments[i], arguments[count + i]}) {
      const bool same = argument.type->kind == Type::Kind::tensor && argument.rank() == 0 &&
                        stablehlo::same_baseline_element(*argument.type, *results[i].type);
      require(same, constraint, [&] {
        return Violation{str(name, ": type(", argument.text(), ")"), type_of(argument),
                         str(type_of(results[i]), " as result ", i)};
      });
    }
    const bool scalar = results[i].type->kind == Type::Kind::tensor && results[i].rank() == 0;
    require(scalar && is_promotable(*values[i].type, *results[i].type), constraint, [&] {
      return Violation{str(name, ": type(result ", i, ")"), type_of(results[i]),
                       str("a scalar that the elements of ", type_of(values[i]), " promote to")};
    });
  }
  return results;
}

const Attribute& OpVerifier::required(std::string_view name) const {
  const Attribute* found = op_.find(name);
  if (found == nullptr) fail_unlabelled({str("attribute ", name, " is missing"), {}, {}});
  return *found;
}

int64_t OpVerifier::integer(std::string_view name) const {
  const Attribute& attribute = required(name);
  if (attribute.kind != Attribute::Kind::integer) {
    fail_unlabelled(
        {str("attribute ", name), attribute_text(program_, attribute), "a whole number"});
  }
  return attribute.integer;
}

int64_t OpVerifier::integer(std::string_view name, int64_t otherwise) const {
  return find(name) == nullptr ? otherwise : integer(name);
}

bool OpVerifier::boolean(std::string_view name) const {
  const Attribute* found = find(name);
  return found != nullptr && (found->kind == Attribute::Kind::unit || found->integer != 0);
}

std::string_view OpVerifier::word(std::string_view name) const {
  const Attribute* found = find(name);
  return found == nullptr ? std::string_view() : found->text;
}

Axes OpVerifier::axes(std::string_view name) const {
  return read_integers(program_, required(name));
}

Axes OpVerifier::axes(std::string_view name, Axes otherwise) const {
  const Attribute* found = find(name);
  return found == nullptr ? std::move(otherwise) : read_integers(program_, *found);
}

Axes OpVerifier::shape_of(const Attribute& attribute) const {
  if (attribute.kind == Attribute::Kind::elements && attribute.type != no_type) {
    return program_.type(attribute.type).dims;
  }
  Axes shape;
  for (const Attribute* level = &attribute; level->kind == Attribute::Kind::array;) {
    shape.push_back(static_cast<int64_t>(level->items.size()));
    if (level->items.empty()) break;
    level = &level->items[0];
  }
  return shape;
}

Axes OpVerifier::flat(const Attribute& attribute) const {
  const bool nested = attribute.kind == Attribute::Kind::array && !attribute.items.empty() &&
                      attribute.items[0].kind == Attribute::Kind::array;
  if (!nested) return read_integers(program_, attribute);
  Axes values;
  for (const Attribute& row : attribute.items) {
    const Axes numbers = read_integers(program_, row);
    values.insert(values.end(), numbers.begin(), numbers.end());
  }
  return values;
}

Axes OpVerifier::field_axes(const Attribute& structure, std::string_view name) const {
  const Attribute* found = stablehlo::find(structure.fields, name);
  return found == nullptr ? Axes{} : read_integers(program_, *found);
}

int64_t OpVerifier::field_integer(const Attribute& structure, std::string_view name) const {
  const Attribute* found = stablehlo::find(structure.fields, name);
  return found == nullptr ? 0 : found->integer;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
