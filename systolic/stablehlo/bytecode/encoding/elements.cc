#include "systolic/stablehlo/bytecode/encoding/elements.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// As many elements as are written out one by one.
constexpr int64_t most_written = 64;

// "ABCD" of the bytes in their order.
std::string hexadecimal(std::string_view data) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  text.reserve(2 * data.size() + 4);
  text += "\"0x";
  for (char c : data) {
    const auto code = static_cast<unsigned char>(c);
    text += digits[code >> 4];
    text += digits[code & 15u];
  }
  text += '"';
  return text;
}

uint64_t little_endian(std::string_view data) {
  uint64_t value = 0;
  for (size_t i = 0; i < data.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * i);
  }
  return value;
}

bool is_unsigned(ElementType element) {
  return element >= ElementType::ui2 && element <= ElementType::ui64;
}

int64_t sign_extended(uint64_t bits, int width) {
  const int unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

std::string whole_text(ElementType element, uint64_t bits) {
  if (element == ElementType::i1) return (bits & 1) != 0 ? "true" : "false";
  const int width = bit_width(element);
  if (is_unsigned(element)) return str(width == 64 ? bits : bits & ((uint64_t{1} << width) - 1));
  return str(sign_extended(bits, width));
}

// Its sizes multiplied, or nothing where one is not known or there are more than most_written.
std::optional<int64_t> few_elements(const Type& type) {
  int64_t count = 1;
  for (int64_t size : type.dims) {
    if (size < 0 || size > most_written) return std::nullopt;
    count *= size;
    if (count > most_written) return std::nullopt;
  }
  return count;
}

// [[a, b], [c, d]]
void append_nested(std::string& text, const std::vector<int64_t>& dims, size_t axis,
                   const std::vector<std::string>& values, size_t& next) {
  if (axis == dims.size()) {
    text += values[next++];
    return;
  }
  text += '[';
  for (int64_t i = 0; i < dims[axis]; ++i) {
    if (i > 0) text += ", ";
    append_nested(text, dims, axis + 1, values, next);
  }
  text += ']';
}

bool all_same(const std::vector<std::string>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const std::string& value) { return value == values.front(); });
}

// i1 comes as a byte or a bit each; a byte of all ones is a splat.
std::vector<std::string> boolean_texts(std::string_view data, size_t count) {
  std::vector<std::string> values;
  const bool packed = data.size() == (count + 7) / 8 && data.size() != count;
  const bool splat = data == "\xFF" || (data.size() == 1 && count > 8);
  for (size_t i = 0; i < (splat ? 1 : count); ++i) {
    const auto byte = static_cast<unsigned char>(data[packed && !splat ? i / 8 : i]);
    const bool set = packed && !splat ? (byte >> (i % 8) & 1) != 0 : byte != 0;
    values.push_back(set ? "true" : "false");
  }
  return values;
}

// The elements one by one, or one for all; nothing when the bytes are not that many.
std::vector<std::string> whole_texts(ElementType element, std::string_view data, size_t count) {
  if (element == ElementType::i1) {
    const bool fits = data.size() == count || data.size() == (count + 7) / 8 || data.size() == 1;
    return fits ? boolean_texts(data, count) : std::vector<std::string>{};
  }
  const size_t width = (static_cast<size_t>(bit_width(element)) + 7) / 8;
  if (data.size() != width * count && data.size() != width) return {};
  std::vector<std::string> values;
  for (size_t at = 0; at < data.size(); at += width) {
    values.push_back(whole_text(element, little_endian(data.substr(at, width))));
  }
  return values;
}

std::string dense_text(const Bytes& bytes, const Type& type, std::string_view data) {
  const std::optional<int64_t> count = few_elements(type);
  if (data.empty()) return "";
  if (!count || *count == 0 || !is_whole(type.element) || type.quantization) {
    // One byte of a large i1 array is its splat; the text's own form of that is a word.
    if (type.element == ElementType::i1 && data.size() == 1) {
      return data[0] != 0 ? "true" : "false";
    }
    return hexadecimal(data);
  }
  const auto values = whole_texts(type.element, data, static_cast<size_t>(*count));
  if (values.empty()) {
    bytes.fail("a constant's bytes", str(data.size()),
               str("those of ", *count, " elements of ", info(type.element).name));
  }
  if (all_same(values)) return values.front();
  std::string text;
  size_t next = 0;
  append_nested(text, type.dims, 0, values, next);
  return text;
}

}  // namespace

int bit_width(ElementType element) {
  if (element == ElementType::index) return 64;
  const bool is_complex = element == ElementType::c64 || element == ElementType::c128;
  return is_complex ? 0 : info(element).bits;
}

bool is_whole(ElementType element) {
  return element <= ElementType::ui64 || element == ElementType::index;
}

Attribute dense_elements(Reader& reader, const Bytes& bytes, TypeId id, std::string_view data) {
  const Type& type = reader.program().type(id);
  if (type.kind != Type::Kind::tensor || type.unranked) {
    bytes.fail("a constant's type", {}, "a tensor with a shape");
  }
  Attribute result;
  result.kind = Attribute::Kind::elements;
  result.name = "dense";
  result.type = id;
  result.text = reader.implied(dense_text(bytes, type, data));
  return result;
}

Attribute dense_array(Reader& reader, const Bytes& bytes, ElementType element, uint64_t count,
                      std::string_view data) {
  const size_t width = (static_cast<size_t>(bit_width(element)) + 7) / 8;
  if (width == 0 || count > data.size() || data.size() != width * count) {
    bytes.fail("an array's bytes", str(data.size()),
               str("those of ", count, " elements of ", info(element).name));
  }
  std::vector<std::string> values;
  for (size_t at = 0; at < data.size(); at += width) {
    const uint64_t bits = little_endian(data.substr(at, width));
    values.push_back(is_whole(element)
                         ? whole_text(element, bits)
                         : std::string(float_attribute(reader, bytes, element, bits).text));
  }
  Attribute result;
  result.kind = Attribute::Kind::dense_array;
  result.type = reader.scalar(element);
  result.text = reader.implied(join(values));
  return result;
}

Attribute integer_attribute(Reader& reader, ElementType element, uint64_t bits) {
  Attribute result;
  if (element == ElementType::i1) {
    result.kind = Attribute::Kind::boolean;
    result.integer = static_cast<int64_t>(bits & 1);
    return result;
  }
  result.kind = Attribute::Kind::integer;
  result.type = reader.scalar(element);
  const std::string text = whole_text(element, bits);
  result.text = reader.implied(text);
  result.integer =
      is_unsigned(element) ? static_cast<int64_t>(bits) : sign_extended(bits, bit_width(element));
  return result;
}

Attribute float_attribute(Reader& reader, const Bytes& bytes, ElementType element, uint64_t bits) {
  if (is_whole(element) || bit_width(element) == 0) {
    bytes.fail("a number's type", std::string(info(element).name), "a type of floats");
  }
  Attribute result;
  result.kind = Attribute::Kind::floating;
  result.type = reader.scalar(element);
  std::string text;
  if (element == ElementType::f64 && std::isfinite(std::bit_cast<double>(bits))) {
    text = str(std::bit_cast<double>(bits));
  } else if (element == ElementType::f32 &&
             std::isfinite(std::bit_cast<float>(static_cast<uint32_t>(bits)))) {
    text = str(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  }
  if (text.empty()) {  // what has no digits, and the narrow types: their bits
    constexpr std::string_view digits = "0123456789ABCDEF";
    const int nibbles = (bit_width(element) + 7) / 8 * 2;
    text = "0x";
    for (int i = nibbles; i > 0; --i) text += digits[bits >> (4 * (i - 1)) & 15];
  } else if (text.find('.') == std::string::npos) {
    const size_t exponent = text.find('e');
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  }
  result.text = reader.implied(std::move(text));
  return result;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
