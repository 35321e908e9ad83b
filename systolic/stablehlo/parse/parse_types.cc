// Types: tensor<2x?xf32>, !stablehlo.token, tuple<...>, (T) -> T, !quant.uniform<...>.
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/parse/parser.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

TypeId Parser::intern(Type type) {
  if (!type.parts.empty()) {
    type.leaves = 0;
    for (TypeId part : type.parts) type.leaves += program_.type(part).leaves;
    // What is written out is shorter than the text; aliases that name each other twice double what
    // they stand for with every line.
    constexpr int64_t most_leaves = 1 << 20;
    leaves_ += type.leaves;
    if (leaves_ > most_leaves + static_cast<int64_t>(program_.source->size())) {
      scan_.fail(str("at most ", most_leaves, " of them"), "aliases stand for too many types");
    }
  }
  const auto id = static_cast<TypeId>(program_.types.size());
  program_.types.push_back(std::move(type));
  const auto [found, inserted] = types_by_meaning_.try_emplace(type_text(program_, id), id);
  if (!inserted) program_.types.pop_back();
  return found->second;
}

TypeId Parser::scalar(ElementType element) {
  Type type;
  type.kind = Type::Kind::scalar;
  type.element = element;
  return intern(std::move(type));
}

TypeId Parser::tensor_of(ElementType element, std::vector<int64_t> dims) {
  Type type;
  type.element = element;
  type.dims = std::move(dims);
  return intern(std::move(type));
}

// Most types of a program were read before: then their text alone is looked up.
TypeId Parser::type() {
  const size_t start = scan_.position();
  const char first = scan_.peek();
  if (first == 't' && scan_.accept("tensor")) {
    scan_.expect("<");
    scan_.until_closing('<', '>');
    const std::string_view text = scan_.from(start);
    const auto known = types_by_text_.find(text);
    if (known != types_by_text_.end()) return known->second;
    scan_.move_to(start);
    const TypeId id = new_type();
    types_by_text_.emplace(text, id);
    return id;
  }
  return new_type();
}

TypeId Parser::new_type() {
  const Scanner::Depth depth(scan_);
  const size_t start = scan_.position();
  Type type;
  if (scan_.accept("tensor")) return intern(tensor_type());
  if (scan_.accept("tuple")) return intern(type_of_parts(Type::Kind::tuple));
  if (scan_.accept("!stablehlo.future")) return intern(type_of_parts(Type::Kind::future));
  if (scan_.peek() == '(') {
    type.kind = Type::Kind::function;
    type.parts = type_list_or_one();
    type.inputs = type.parts.size();
    scan_.expect("->");
    for (TypeId part : type_list_or_one()) type.parts.push_back(part);
    return intern(std::move(type));
  }
  if (scan_.accept("!stablehlo.token")) {
    type.kind = Type::Kind::token;
    return intern(std::move(type));
  }
  if (scan_.next_is("!quant.uniform")) {
    type.kind = Type::Kind::scalar;
    return intern(quantized_element(std::move(type)));
  }
  if (scan_.accept("!")) {
    const std::string_view name = scan_.suffix();
    const auto alias = type_aliases_.find(name);
    if (alias != type_aliases_.end()) return alias->second;
    type.kind = Type::Kind::opaque;
    if (scan_.accept("<")) scan_.until_closing('<', '>');
    type.encoding = scan_.from(start);
    return intern(std::move(type));
  }
  type.kind = Type::Kind::scalar;
  return intern(quantized_element(std::move(type)));
}

// <T, T, ...>
Type Parser::type_of_parts(Type::Kind kind) {
  Type type;
  type.kind = kind;
  scan_.expect("<");
  if (!scan_.accept(">")) {
    type.parts = type_list();
    scan_.expect(">");
  }
  return type;
}

std::vector<TypeId> Parser::type_list() {
  std::vector<TypeId> types{type()};
  while (scan_.accept(",")) types.push_back(type());
  return types;
}

std::vector<TypeId> Parser::type_list_or_one() {
  if (!scan_.accept("(")) return {type()};
  if (scan_.accept(")")) return {};
  std::vector<TypeId> types = type_list();
  scan_.expect(")");
  return types;
}

// What "#name" stands for, where it is the name of an attribute; else the text itself.
std::string_view Parser::without_alias(std::string_view text) {
  const std::string_view name = trim(text);
  if (name.empty() || name[0] != '#') return text;
  const auto alias = attribute_aliases_.find(name.substr(1));
  if (alias == attribute_aliases_.end()) return text;
  return implied(attribute_text(program_, alias->second.second));
}

// #stablehlo.type_extensions<bounds = [3, ?]>, an older spelling, as #stablehlo.bounds<3, ?>.
std::string_view Parser::bounds_encoding(std::string_view text) {
  constexpr std::string_view start = "#stablehlo.type_extensions<bounds = [", end = "]>";
  const bool older = text.size() >= start.size() + end.size() &&
                     text.substr(0, start.size()) == start &&
                     text.substr(text.size() - end.size()) == end;
  if (!older) return text;
  std::vector<std::string> bounds;
  const size_t length = text.size() - start.size() - end.size();
  for (const std::string& bound : split(text.substr(start.size(), length), ',')) {
    bounds.emplace_back(trim(bound) == "-1" ? "?" : trim(bound));
  }
  return implied(str("#stablehlo.bounds<", join(bounds), ">"));
}

// After "tensor".
Type Parser::tensor_type() {
  scan_.expect("<");
  Type type;
  while (true) {
    const size_t start = scan_.position();
    const char next = scan_.peek();
    if (next == '*') {
      scan_.expect("*");
      type.unranked = true;
    } else if (next == '?') {
      scan_.expect("?");
      type.dims.push_back(dynamic_size);
    } else if (is_digit(next)) {
      int64_t size = 0;
      if (!parse_number(scan_.digits(), size)) {
        scan_.fail_at(start, "a size of 0 to 2^63 - 1", "cannot read this size");
      }
      type.dims.push_back(size);
    } else {
      break;
    }
    if (type.dims.size() > static_cast<size_t>(max_nesting))
      scan_.fail_at(start, str("at most ", max_nesting), "a type has too many axes");
    if (scan_.peek() != 'x') scan_.fail("'x' between sizes and element type");
    scan_.move_to(scan_.position() + 1);
  }
  type = quantized_element(std::move(type));
  if (scan_.accept(",")) {
    const size_t start = scan_.position();
    scan_.until_closing('<', '>');
    const std::string_view text = scan_.from(start);
    type.encoding = bounds_encoding(without_alias(text.substr(0, text.size() - 1)));
  } else {
    scan_.expect(">");
  }
  return type;
}

// Sets the element type, which may be quantized.
Type Parser::quantized_element(Type type) {
  auto [element_type, quantization] = element();
  type.element = element_type;
  type.quantization = std::move(quantization);
  return type;
}

std::pair<ElementType, std::shared_ptr<const Quantization>> Parser::element() {
  const size_t start = scan_.position();
  if (scan_.accept("complex")) {
    scan_.expect("<");
    const std::string_view part = scan_.word();
    scan_.expect(">");
    if (part == "f32") return {ElementType::c64, nullptr};
    if (part == "f64") return {ElementType::c128, nullptr};
    scan_.fail_at(start, "complex<f32> or complex<f64>", "no such complex type");
  }
  if (!scan_.accept("!quant.uniform")) {
    const std::optional<ElementType> found = find_element_type(scan_.word());
    if (!found) {
      scan_.fail_at(start, "an element type such as f32, ui8, i1, bf16 or complex<f32>",
                    "no such element type");
    }
    return {*found, nullptr};
  }
  scan_.expect("<");
  auto quantization = std::make_shared<Quantization>();
  quantization->storage = storage_element();
  if (scan_.accept("<")) {
    quantization->names_range = true;
    quantization->storage_min = scan_.integer("the lowest stored number");
    scan_.expect(":");
    quantization->storage_max = scan_.integer("the highest stored number");
    scan_.expect(">");
  }
  scan_.expect(":");
  quantization->expressed = element().first;
  if (scan_.accept(":")) quantization->axis = scan_.integer("the quantized axis");
  scan_.expect(",");
  quantized_scales(*quantization);
  scan_.expect(">");
  const ElementType expressed = quantization->expressed;
  return {expressed, std::move(quantization)};
}

// MLIR's quantized types write unsigned numbers as u8.
ElementType Parser::storage_element() {
  const size_t start = scan_.position();
  const std::string_view word = scan_.word();
  if (word.size() > 1 && word[0] == 'u' && is_digit(word[1])) {
    if (const auto found = find_element_type(str("ui", word.substr(1)))) return *found;
  }
  scan_.move_to(start);
  return element().first;
}

// "0.1:-30" or "{0.1:-30, 0.5}"
void Parser::quantized_scales(Quantization& quantization) {
  const bool many = scan_.accept("{");
  do {
    const size_t start = scan_.position();
    double scale = 0;
    if (!parse_number(scan_.number(), scale)) {
      scan_.fail_at(start, "a scale", "cannot read this");
    }
    quantization.scales.push_back(scale);
    quantization.zero_points.push_back(scan_.accept(":") ? scan_.integer("a zero point") : 0);
  } while (many && scan_.accept(","));
  if (many) scan_.expect("}");
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
