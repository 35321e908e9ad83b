#include "systolic/stablehlo/pretty/pretty_pieces.h"

#include "systolic/base/text.h"
#include "systolic/stablehlo/dense.h"
#include "systolic/stablehlo/print.h"

namespace systolic::inline v0 {
namespace stablehlo {

using Kind = Attribute::Kind;
using Text = std::optional<std::string>;

namespace {

constexpr std::string_view dot_numbers = "dot_dimension_numbers";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

}  // namespace

const Attribute* PrettyPieces::take(std::string_view name, Kind kind) {
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    const NamedAttribute& attribute = op_.attributes[i];
    if (attribute.name != name || attribute.value.kind != kind) continue;
    used_[i] = true;
    return &attribute.value;
  }
  return nullptr;
}

const Attribute* PrettyPieces::field(std::string_view name) const {
  const Attribute* structure = op_.find(dot_numbers);
  return structure == nullptr ? nullptr : find(structure->fields, name);
}

bool PrettyPieces::has(const Piece& piece) const {
  if (piece.kind == Piece::Kind::pairs) {
    for (std::string_view side : {piece.text, piece.second}) {
      const Attribute* axes = field(side);
      if (axes != nullptr && !axes->items.empty()) return true;
    }
    return false;
  }
  for (size_t i = 0; i < op_.attributes.size(); ++i) {
    const auto& [name, value] = op_.attributes[i];
    if (name != piece.text) continue;
    const bool empty_list = piece.kind == Piece::Kind::enumerations && value.items.empty();
    return !empty_list && !used_[i];
  }
  return false;
}

bool PrettyPieces::value_has_type_of(TypeId result) const {
  const Attribute* value = op_.find("value");
  return value != nullptr && (result == no_type || value->type == result);
}

std::string PrettyPieces::unused_attributes() const {
  std::vector<NamedAttribute> rest;
  for (size_t i = 0; i < used_.size(); ++i) {
    if (!used_[i]) rest.push_back(op_.attributes[i]);
  }
  return attributes_text(program_, rest);
}

Text PrettyPieces::text(const Piece& piece) {
  switch (piece.kind) {
    case Piece::Kind::axes:
      return axes(piece);
    case Piece::Kind::integer: {
      const Attribute* number = take(piece.text, Kind::integer);
      if (number == nullptr) return {};
      return piece.second == "ui64" ? str(static_cast<uint64_t>(number->integer))
                                    : str(number->integer);
    }
    case Piece::Kind::boolean: {
      const Attribute* boolean = take(piece.text, Kind::boolean);
      return boolean == nullptr ? Text() : attribute_text(program_, *boolean);
    }
    case Piece::Kind::floating: {
      const Attribute* number = take(piece.text, Kind::floating);
      return number == nullptr ? Text() : std::string(number->text);
    }
    case Piece::Kind::enumeration: {
      const Attribute* word = take(piece.text, Kind::enumeration);
      return word == nullptr ? Text() : str(" ", word->text);
    }
    case Piece::Kind::elements: {
      const Attribute* elements = take(piece.text, Kind::elements);
      return elements == nullptr ? Text() : attribute_text(program_, *elements);
    }
    case Piece::Kind::brackets: {
      const Attribute* opaque = take(piece.text, Kind::opaque);
      const bool fits = opaque != nullptr && starts_with(opaque->text, piece.second);
      return fits ? Text(opaque->text.substr(piece.second.size())) : Text();
    }
    case Piece::Kind::enumerations:
      return words(piece);
    case Piece::Kind::symbol:
    case Piece::Kind::string:
      return name(piece);
    case Piece::Kind::fields:
      return structure(piece);
    case Piece::Kind::ranges:
      return ranges();
    case Piece::Kind::format:
      return format();
    case Piece::Kind::pairs:
      return pairs(piece);
    case Piece::Kind::window:
      return window();
    default:
      return std::nullopt;
  }
}

Text PrettyPieces::axes(const Piece& piece) {
  const Attribute* axes = take(piece.text, Kind::dense_array);
  return axes == nullptr ? Text() : str("[", axes->text, "]");
}

// [DEFAULT, HIGH]
Text PrettyPieces::words(const Piece& piece) {
  const Attribute* list = take(piece.text, Kind::array);
  if (list == nullptr) return std::nullopt;
  std::vector<std::string_view> parts;
  for (const Attribute& item : list->items) {
    if (item.kind != Kind::enumeration) return std::nullopt;
    parts.push_back(item.text);
  }
  return str("[", join(parts), "]");
}

// [0:1, 0:3:2]
Text PrettyPieces::ranges() {
  const Attribute* starts = take("start_indices", Kind::dense_array);
  const Attribute* limits = take("limit_indices", Kind::dense_array);
  const Attribute* strides = take("strides", Kind::dense_array);
  if (starts == nullptr || limits == nullptr || strides == nullptr) return std::nullopt;
  const std::vector<int64_t> from = read_integers(program_, *starts),
                             to = read_integers(program_, *limits),
                             step = read_integers(program_, *strides);
  if (from.size() != to.size() || from.size() != step.size()) return std::nullopt;
  std::vector<std::string> parts;
  for (size_t i = 0; i < from.size(); ++i) {
    parts.push_back(step[i] == 1 ? str(from[i], ":", to[i])
                                 : str(from[i], ":", to[i], ":", step[i]));
  }
  return str("[", join(parts), "]");
}

// e5m10
Text PrettyPieces::format() {
  const Attribute* exponent = take("exponent_bits", Kind::integer);
  const Attribute* mantissa = take("mantissa_bits", Kind::integer);
  if (exponent == nullptr || mantissa == nullptr || exponent->integer < 0 ||
      mantissa->integer < 0) {
    return std::nullopt;
  }
  return str("e", exponent->integer, "m", mantissa->integer);
}

// [0] x [1]
Text PrettyPieces::pairs(const Piece& piece) {
  const Attribute* structure = take(dot_numbers, Kind::structure);
  if (structure == nullptr) return std::nullopt;
  std::string text;
  for (std::string_view side : {piece.text, piece.second}) {
    const Attribute* axes = field(side);
    if (axes != nullptr && axes->kind != Kind::array) return std::nullopt;
    text +=
        str(text.empty() ? "" : " x ", axes == nullptr ? "[]" : attribute_text(program_, *axes));
  }
  return text;
}

// dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[0, 0]], ...}
Text PrettyPieces::window() {
  constexpr std::string_view prefix = "#stablehlo.conv<";
  const Attribute* numbers = take("dimension_numbers", Kind::opaque);
  const bool fits = numbers != nullptr && starts_with(numbers->text, prefix) &&
                    numbers->text[prefix.size()] == '[';
  if (!fits) return std::nullopt;
  std::string_view layout = numbers->text.substr(prefix.size());
  layout.remove_suffix(1);
  std::vector<std::string> parts;
  for (const auto& [short_name, long_name] : window_parts) {
    if (op_.find(long_name) == nullptr) continue;
    const bool rows = short_name == "pad";
    const Attribute* found = take(long_name, rows ? Kind::elements : Kind::dense_array);
    if (found == nullptr) return std::nullopt;
    if (rows && !found->text.empty() && found->text[0] != '[') return std::nullopt;
    const bool none = rows && found->text.empty();
    parts.push_back(rows ? str(short_name, " = ", none ? "[]" : found->text)
                         : str(short_name, " = [", found->text, "]"));
  }
  return str("dim_numbers = ", layout, ", window = {", join(parts), "}");
}

// <a = 1, b = 2>
Text PrettyPieces::structure(const Piece& piece) {
  const Attribute* found = take(piece.text, Kind::structure);
  if (found == nullptr || found->name != piece.second) return std::nullopt;
  return str("<", attributes_text(program_, found->fields), ">");
}

Text PrettyPieces::name(const Piece& piece) {
  const bool quoted = piece.kind == Piece::Kind::string;
  const bool text = quoted || piece.text == "call_target_name";
  const Attribute* found = take(piece.text, text ? Kind::string : Kind::symbol);
  if (found == nullptr) return std::nullopt;
  return quoted ? str("\"", found->text, "\"") : symbol_text(found->text);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
