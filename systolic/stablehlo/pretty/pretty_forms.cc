#include "systolic/stablehlo/pretty/pretty_forms.h"

#include <algorithm>
#include <iterator>

#include "systolic/base/error.h"
#include "systolic/stablehlo/pretty/pretty_region_forms.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using Kind = Attribute::Kind;

}  // namespace

void add_attribute(Operation& op, std::string_view name, Attribute attribute) {
  op.attributes.push_back({name, std::move(attribute)});
}

Attribute integer_attribute(Parser& parser, int64_t value, ElementType element) {
  Attribute attribute;
  attribute.kind = Kind::integer;
  attribute.integer = value;
  attribute.text = parser.implied(str(value));
  attribute.type = parser.scalar(element);
  return attribute;
}

Attribute array_attribute(Parser& parser, std::string_view text, size_t offset) {
  Attribute attribute;
  attribute.kind = Kind::dense_array;
  attribute.type = parser.scalar(ElementType::i64);
  attribute.text = text;
  attribute.offset = offset;
  return attribute;
}

Attribute parse_axes(Parser& parser) {
  Scanner& scan = parser.scan();
  scan.expect("[");
  const size_t start = scan.position();
  if (!scan.accept("]")) {
    do scan.integer("a number or ']'");
    while (scan.accept(","));
    scan.expect("]");
  }
  const std::string_view text = scan.from(start);
  return array_attribute(parser, text.substr(0, text.size() - 1), start);
}

namespace {

// 0 to 2^64 - 1; held with the bits of a signed number.
Attribute unsigned_attribute(Parser& parser) {
  const size_t start = parser.scan().position();
  uint64_t value = 0;
  if (!parse_unsigned(parser.scan().number(), value)) {
    parser.scan().fail_at(start, "a number", "cannot read this");
  }
  Attribute attribute = integer_attribute(parser, static_cast<int64_t>(value), ElementType::ui64);
  attribute.text = parser.implied(str(value));
  return attribute;
}

Attribute enumeration(Parser& parser, std::string_view type) {
  Attribute attribute;
  attribute.kind = Kind::enumeration;
  attribute.offset = parser.scan().position();
  attribute.name = type;
  attribute.text = parser.scan().expect_word(str("a word of ", type));
  return attribute;
}

// [0:2, 1:8:2]
void ranges(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  const size_t start = scan.position();
  std::string starts, limits, strides;
  scan.expect("[");
  if (!scan.accept("]")) {
    do {
      const char* comma = starts.empty() ? "" : ", ";
      starts += str(comma, scan.integer("where the slice starts"));
      scan.expect(":");
      limits += str(comma, scan.integer("where the slice ends"));
      strides += str(comma, scan.accept(":") ? scan.integer("the stride") : int64_t{1});
    } while (scan.accept(","));
    scan.expect("]");
  }
  add_attribute(op, "start_indices",
                array_attribute(parser, parser.implied(std::move(starts)), start));
  add_attribute(op, "limit_indices",
                array_attribute(parser, parser.implied(std::move(limits)), start));
  add_attribute(op, "strides", array_attribute(parser, parser.implied(std::move(strides)), start));
}

// e5m10
void precision_format(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  const size_t start = scan.position();
  const std::string_view text = scan.word();
  const size_t split = text.find('m');
  int64_t exponent = 0, mantissa = 0;
  if (text.empty() || text[0] != 'e' || split == std::string_view::npos ||
      !parse_number(text.substr(1, split - 1), exponent) ||
      !parse_number(text.substr(split + 1), mantissa)) {
    scan.fail_at(start, "a format such as e5m10", "cannot read this");
  }
  add_attribute(op, "exponent_bits", integer_attribute(parser, exponent, ElementType::i32));
  add_attribute(op, "mantissa_bits", integer_attribute(parser, mantissa, ElementType::i32));
}

// [0] x [1]: fields of the structure dot_dimension_numbers.
void pairs(Parser& parser, Operation& op, const Piece& piece) {
  constexpr std::string_view numbers = "dot_dimension_numbers";
  if (op.attributes.empty() || op.attributes[0].name != numbers) {
    Attribute structure;
    structure.kind = Kind::structure;
    structure.name = "stablehlo.dot";
    structure.offset = parser.scan().position();
    add_attribute(op, numbers, std::move(structure));
  }
  std::vector<NamedAttribute>& fields = op.attributes[0].value.fields;
  fields.push_back({piece.text, parser.attribute()});
  parser.scan().expect("x");
  fields.push_back({piece.second, parser.attribute()});
}

// [[1, 1], [0, 2]] as dense<...> : tensor<2x2xi64>
Attribute padding(Parser& parser) {
  const size_t start = parser.scan().position();
  const Attribute rows = parser.attribute();
  Attribute table;
  table.kind = Kind::elements;
  table.name = "dense";
  table.offset = start;
  table.text = rows.items.empty() ? std::string_view() : parser.scan().from(start);
  table.type = parser.tensor_of(ElementType::i64, {static_cast<int64_t>(rows.items.size()), 2});
  return table;
}

// [true, false] as array<i1: true, false>
Attribute truth_values(Parser& parser) {
  const size_t start = parser.scan().position();
  const Attribute list = parser.attribute();
  if (list.kind != Kind::array) parser.scan().fail_at(start, "[true, ...]", "cannot read this");
  const std::string_view text = parser.scan().from(start);
  Attribute values = array_attribute(parser, text.substr(1, text.size() - 2), start);
  values.type = parser.scalar(ElementType::i1);
  return values;
}

// dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [..], pad = [[..], ..], ...}
void window(Parser& parser, Operation& op) {
  Scanner& scan = parser.scan();
  scan.expect("dim_numbers");
  scan.expect("=");
  Attribute numbers;
  numbers.kind = Kind::opaque;
  numbers.name = "stablehlo.conv";
  numbers.offset = scan.position();
  for (const char* separator : {"x", "->", ""}) {
    scan.expect("[");
    do scan.expect_word("an axis: a number, or one of b, f, i, o");
    while (scan.accept(","));
    scan.expect("]");
    if (*separator != 0) scan.expect(separator);
  }
  numbers.text = parser.implied(str("#stablehlo.conv<", scan.from(numbers.offset), ">"));
  add_attribute(op, "dimension_numbers", std::move(numbers));
  scan.expect(",");
  scan.expect("window");
  scan.expect("=");
  scan.expect("{");
  if (scan.accept("}")) return;
  do {
    const size_t start = scan.position();
    const std::string_view word = scan.word();
    std::string_view name;
    for (const auto& [short_name, long_name] : window_parts) {
      if (word == short_name) name = long_name;
    }
    if (name.empty())
      scan.fail_at(start, "stride, pad, lhs_dilate, rhs_dilate or reverse",
                   "no such part of a window");
    scan.expect("=");
    add_attribute(op, name,
                  name == "padding"           ? padding(parser)
                  : name == "window_reversal" ? truth_values(parser)
                                              : parse_axes(parser));
  } while (scan.accept(","));
  scan.expect("}");
}

Attribute enumerations(Parser& parser, std::string_view type) {
  Scanner& scan = parser.scan();
  Attribute list;
  list.kind = Kind::array;
  list.offset = scan.position();
  scan.expect("[");
  do list.items.push_back(enumeration(parser, type));
  while (scan.accept(","));
  scan.expect("]");
  return list;
}

Attribute structure(Parser& parser, std::string_view type) {
  Attribute result;
  result.kind = Kind::structure;
  result.offset = parser.scan().position();
  result.name = type;
  parser.scan().expect("<");
  result.fields = parser.fields('>');
  return result;
}

// A symbol where the attribute is one, a string where it names a custom function.
Attribute name_attribute(Parser& parser, const Piece& piece) {
  Attribute name;
  name.offset = parser.scan().position();
  const bool quoted = piece.kind == Piece::Kind::string;
  const bool text = quoted || piece.text == "call_target_name";
  name.kind = text ? Kind::string : Kind::symbol;
  name.text = quoted ? parser.scan().string() : parser.symbol();
  return name;
}

Attribute floating(Parser& parser) {
  Attribute value;
  value.kind = Kind::floating;
  value.offset = parser.scan().position();
  value.text = parser.scan().number();
  if (value.text.empty()) parser.scan().fail("a number");
  value.type = parser.scalar(ElementType::f64);
  return value;
}

Attribute of_kind(Parser& parser, Kind kind, std::string wanted) {
  Attribute value = parser.attribute();
  if (value.kind != kind) {
    parser.scan().fail_at(value.offset, std::move(wanted), "cannot read this");
  }
  return value;
}

}  // namespace

void parse_piece(Parser& parser, Operation& op, const Piece& piece) {
  switch (piece.kind) {
    case Piece::Kind::axes:
      return add_attribute(op, piece.text, parse_axes(parser));
    case Piece::Kind::integer: {
      if (piece.second == "ui64") return add_attribute(op, piece.text, unsigned_attribute(parser));
      const ElementType type = piece.text == "index" ? ElementType::i32 : ElementType::i64;
      return add_attribute(op, piece.text,
                           integer_attribute(parser, parser.scan().integer("a number"), type));
    }
    case Piece::Kind::boolean:
      return add_attribute(op, piece.text, of_kind(parser, Kind::boolean, "true or false"));
    case Piece::Kind::floating:
      return add_attribute(op, piece.text, floating(parser));
    case Piece::Kind::enumeration:
      return add_attribute(op, piece.text, enumeration(parser, piece.second));
    case Piece::Kind::enumerations:
      return add_attribute(op, piece.text, enumerations(parser, piece.second));
    case Piece::Kind::symbol:
    case Piece::Kind::string:
      return add_attribute(op, piece.text, name_attribute(parser, piece));
    case Piece::Kind::elements:
      parser.attribute_dictionary(op.attributes);
      return add_attribute(op, piece.text, of_kind(parser, Kind::elements, "dense<...>"));
    case Piece::Kind::fields:
      return add_attribute(op, piece.text, structure(parser, piece.second));
    case Piece::Kind::brackets: {
      Attribute text;
      text.kind = Kind::opaque;
      text.offset = parser.scan().position();
      parser.scan().expect("<");
      parser.scan().until_closing('<', '>');
      text.text = parser.implied(str(piece.second, parser.scan().from(text.offset)));
      return add_attribute(op, piece.text, text);
    }
    case Piece::Kind::ranges:
      return ranges(parser, op);
    case Piece::Kind::format:
      return precision_format(parser, op);
    case Piece::Kind::pairs:
      return pairs(parser, op, piece);
    case Piece::Kind::window:
      return window(parser, op);
    case Piece::Kind::reduce:
      return parse_reduce(parser, op);
    case Piece::Kind::manual:
      return parse_manual(parser, op);
    case Piece::Kind::scan:
      return parse_scan(parser, op);
    default:
      return;
  }
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
