// Attributes: numbers, strings, arrays, dictionaries, dense<...>, #stablehlo<...>, locations.
#include <charconv>
#include <set>

#include "systolic/base/error.h"
#include "systolic/stablehlo/parse/parser.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// A whole number, in decimals or in hexadecimal digits.
bool parse_whole_number(std::string_view text, int64_t& value) {
  const bool negative = starts_with(text, "-");
  const std::string_view digits = text.substr(negative || starts_with(text, "+") ? 1 : 0);
  if (!starts_with(digits, "0x")) return parse_number(text, value);
  uint64_t bits = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data() + 2, end, bits, 16);
  value = static_cast<int64_t>(negative ? ~bits + 1 : bits);
  return error == std::errc() && stop == end;
}

// Do the bits of an integer type hold it? i8 takes 255 too, the bits of -1, as MLIR's parser does.
bool fits(int64_t value, ElementType type) {
  using E = ElementType;
  if (type == E::i1) return value >= -1 && value <= 1;
  if (type >= E::ui64 || type == E::i64) return true;
  const bool is_unsigned = type >= E::ui2;
  const int steps = static_cast<int>(type) - static_cast<int>(is_unsigned ? E::ui2 : E::i2);
  const int64_t half = int64_t{1} << ((2 << steps) - 1);
  return value >= (is_unsigned ? 0 : -half) && value < 2 * half;
}

bool is_integer(ElementType type) { return type <= ElementType::ui64; }

// Aliases that name each other twice would double what they stand for with every line.
constexpr int64_t most_expanded = 1 << 20;

}  // namespace

int64_t attribute_count(const Attribute& attribute) {
  int64_t count = 1;
  for (const Attribute& item : attribute.items) count += attribute_count(item);
  for (const NamedAttribute& field : attribute.fields) count += attribute_count(field.value);
  return count;
}

std::string_view Parser::implied(std::string text) {
  return program_.implied->emplace_back(std::move(text));
}

Attribute Parser::attribute() {
  const Scanner::Depth depth(scan_);
  Attribute result;
  const size_t start = result.offset = scan_.position();
  const char next = scan_.peek();
  if (next == '[') {
    scan_.expect("[");
    result.kind = Attribute::Kind::array;
    if (!scan_.accept("]")) {
      do result.items.push_back(attribute());
      while (scan_.accept(","));
      scan_.expect("]");
    }
  } else if (next == '{') {
    scan_.expect("{");
    result.kind = Attribute::Kind::dictionary;
    result.fields = fields('}');
  } else if (next == '"') {
    result.kind = Attribute::Kind::string;
    result.text = scan_.string();
  } else if (next == '@') {
    result.kind = Attribute::Kind::symbol;
    result.text = symbol();
  } else if (next == '#') {
    result = dialect_attribute();
  } else if (is_digit(next) || next == '-' || next == '+') {
    result = number_attribute();
  } else if (next == '(' && sub_axis()) {
    result.kind = Attribute::Kind::opaque;
    result.text = scan_.from(start);
  } else if (next == '(' || next == '!') {
    result.kind = Attribute::Kind::type;
    result.type = type();
  } else {
    result = word_attribute();
  }
  // Faults of elements are counted from where those start.
  if (result.kind != Attribute::Kind::elements) result.offset = start;
  return result;
}

// "(1)2": part of a mesh axis. Nothing is taken where a type starts here.
bool Parser::sub_axis() {
  const size_t start = scan_.position();
  if (scan_.accept("(") && is_digit(scan_.peek())) {
    scan_.integer("the product of the sizes before");
    scan_.expect(")");
    scan_.integer("the size of the part");
    return true;
  }
  scan_.move_to(start);
  return false;
}

Attribute Parser::number_attribute() {
  Attribute result;
  const size_t start = scan_.position();
  result.text = scan_.number();
  if (result.text.empty()) scan_.fail_at(start, "a number", "cannot read this");
  const bool hexadecimal = result.text.find('x') != std::string_view::npos;
  const bool real = !hexadecimal && result.text.find_first_of(".eE") != std::string_view::npos;
  result.kind = real ? Attribute::Kind::floating : Attribute::Kind::integer;
  const bool whole = !real && parse_whole_number(result.text, result.integer);
  uint64_t large = 0;
  if (!real && !hexadecimal && !whole) {
    if (!parse_unsigned(result.text, large)) {
      scan_.fail_at(start, "a number of 64 bits", "this number is too large");
    }
    result.integer = static_cast<int64_t>(large);
  }
  if (scan_.accept(":")) {
    result.type = type();
    const Type& written = program_.type(result.type);
    const DType dtype = info(written.element).dtype.value_or(DType::token);
    if (is_float(dtype)) result.kind = Attribute::Kind::floating;
    const bool integer = written.kind == Type::Kind::scalar && is_integer(written.element);
    const bool fitting =
        large != 0 ? written.element == ElementType::ui64 || written.element == ElementType::i64
                   : whole && fits(result.integer, written.element);
    if (integer && !fitting) {
      scan_.fail_at(start, std::string(info(written.element).name),
                    "integer_constant_c1: this is not such a number");
    }
  }
  return result;
}

// What starts with a letter: a keyword, or a type.
Attribute Parser::word_attribute() {
  Attribute result;
  const size_t start = scan_.position();
  if (scan_.accept("true") || scan_.accept("false")) {
    result.kind = Attribute::Kind::boolean;
    result.integer = scan_.from(start) == "true" ? 1 : 0;
    return result;
  }
  if (scan_.accept("unit")) return result;
  if (scan_.next_is("dense") || scan_.next_is("dense_resource")) return dense_attribute();
  if (scan_.accept("array")) {
    scan_.expect("<");
    result.kind = Attribute::Kind::dense_array;
    result.type = scalar(element().first);
    if (scan_.accept(":")) {
      const size_t values = scan_.position();
      scan_.until_closing('<', '>');
      const std::string_view text = scan_.from(values);
      result.text = text.substr(0, text.size() - 1);
    } else {
      scan_.expect(">");
    }
    return result;
  }
  if (scan_.next_is("loc")) {
    result.kind = Attribute::Kind::opaque;
    result.text = optional_location();
    return result;
  }
  if (scan_.accept("affine_map") || scan_.accept("affine_set")) {
    scan_.expect("<");
    scan_.until_closing('<', '>');
    result.kind = Attribute::Kind::opaque;
    result.text = scan_.from(start);
    return result;
  }
  if (!is_letter(scan_.peek())) scan_.fail("an attribute");
  result.kind = Attribute::Kind::type;
  result.type = type();
  return result;
}

Attribute Parser::dense_attribute() {
  Attribute result;
  result.kind = Attribute::Kind::elements;
  result.name = scan_.word();  // dense or dense_resource
  scan_.expect("<");
  const size_t start = scan_.position();
  result.offset = start;
  scan_.until_closing('<', '>');
  const std::string_view text = scan_.from(start);
  result.text = text.substr(0, text.size() - 1);
  if (scan_.accept(":")) result.type = type();
  return result;
}

// "#name", "#dialect<...>", "#dialect.name<...>"
Attribute Parser::dialect_attribute() {
  Attribute result;
  const size_t start = scan_.position();
  scan_.expect("#");
  const std::string_view name = scan_.suffix();
  result.kind = Attribute::Kind::opaque;
  if (!scan_.next_is("<")) {
    const auto alias = attribute_aliases_.find(name);
    if (alias != attribute_aliases_.end()) {
      expanded_ += alias->second.first;
      if (expanded_ > most_expanded) {
        scan_.fail_at(start, str("at most ", most_expanded, " of them"),
                      "aliases stand for too many attributes");
      }
      return alias->second.second;
    }
    result.text = scan_.from(start);
    return result;
  }
  scan_.expect("<");
  const size_t inside = scan_.position();
  // The bounds of a type have "?" among their numbers: they are kept as written.
  const bool bounds = name == "stablehlo.bounds" || name == "stablehlo.type_extensions";
  if (!bounds && (starts_with(name, "stablehlo") || starts_with(name, "chlo"))) {
    result.name = scan_.word();
    const bool dotted = name.find('.') != std::string_view::npos;
    if (!dotted && !result.name.empty()) {  // #stablehlo<precision HIGH>
      result.kind = Attribute::Kind::enumeration;
      result.text = scan_.expect_word("the enumeration's word");
      scan_.expect(">");
      return result;
    }
    if (dotted && !result.name.empty() && (scan_.next_is("=") || scan_.next_is(","))) {
      scan_.move_to(inside);
      result.kind = Attribute::Kind::structure;
      result.name = name;
      result.fields = fields('>');
      return result;
    }
    scan_.move_to(inside);
  }
  scan_.until_closing('<', '>');
  result.name = name;
  result.text = scan_.from(start);
  return result;
}

std::vector<NamedAttribute> Parser::fields(char close) {
  const std::string_view closing(&close, 1);
  std::vector<NamedAttribute> result;
  std::set<std::string_view> names;
  if (scan_.accept(closing)) return result;
  do {
    NamedAttribute& field = result.emplace_back();
    const size_t start = scan_.position();
    field.name =
        scan_.peek() == '"' ? scan_.string() : scan_.expect_word("the name of an attribute");
    if (!names.insert(field.name).second) {
      scan_.fail_at(start, "each name once", "an attribute appears here a second time");
    }
    field.value.offset = start;
    if (scan_.accept("=")) field.value = attribute();
    // Structures may end in a comma.
  } while (scan_.accept(",") && !(close == '>' && scan_.next_is(closing)));
  scan_.expect(closing);
  return result;
}

void Parser::attribute_dictionary(std::vector<NamedAttribute>& into) {
  if (!scan_.accept("{")) return;
  const size_t known = into.size();
  for (NamedAttribute& field : fields('}')) {
    for (size_t i = 0; i < known; ++i) {  // what the pretty form has said, a few at most
      if (into[i].name == field.name) {
        scan_.fail_at(field.value.offset, "each name once",
                      str("attribute ", field.name, " appears here a second time"));
      }
    }
    into.push_back(std::move(field));
  }
}

// After "@", which is taken too.
std::string_view Parser::symbol() {
  scan_.expect("@");
  const size_t start = scan_.position();
  std::string_view name = scan_.peek() == '"' ? scan_.string() : scan_.suffix();
  while (scan_.accept("::")) {
    scan_.expect("@");
    if (scan_.peek() == '"') {
      scan_.string();
    } else {
      scan_.suffix();
    }
    name = scan_.from(start);
  }
  return name;
}

std::string_view Parser::optional_location() {
  if (!scan_.next_is("loc")) return {};
  const size_t start = scan_.position();
  scan_.expect("loc");
  scan_.expect("(");
  scan_.until_closing('(', ')');
  return scan_.from(start);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
