#include "systolic/ir/print/print_literal.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

constexpr int64_t elements_in_decimal = 32;

std::string hex(const std::byte* data, size_t bytes, bool most_significant_first) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text = "0x";
  for (size_t i = 0; i < bytes; ++i) {
    const auto value = static_cast<unsigned>(data[most_significant_first ? bytes - 1 - i : i]);
    text += digits[value >> 4];
    text += digits[value & 15];
  }
  return text;
}

// MLIR's numbers need a point: "1e-05" becomes "1.0e-05".
std::string with_point(std::string text) {
  if (text.find('.') != std::string::npos) return text;
  const size_t exponent = text.find('e');
  text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

template <class T>
std::string float_text(T value) {
  const double number = static_cast<double>(static_cast<float>(value));
  if constexpr (std::is_same_v<T, double>) {
    if (std::isfinite(value)) return with_point(str(value));
  } else {
    if (std::isfinite(number)) return with_point(str(static_cast<float>(value)));
  }
  return hex(reinterpret_cast<const std::byte*>(&value), sizeof value, true);
}

template <class T>
std::string element_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return str(value);
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    return str("(", float_text(value.real()), ",", float_text(value.imag()), ")");
  } else {
    return float_text(value);
  }
}

bool all_equal(const Literal& literal) {
  const size_t bytes = literal.byte_size() / static_cast<size_t>(literal.size());
  for (int64_t i = 1; i < literal.size(); ++i) {
    const std::byte* element = literal.raw() + static_cast<size_t>(i) * bytes;
    if (std::memcmp(literal.raw(), element, bytes) != 0) return false;
  }
  return true;
}

template <class T>
void append_nested(std::span<const T> values, std::span<const int64_t> dims, std::string& text) {
  if (dims.empty()) {
    text += element_text(values[0]);
    return;
  }
  const size_t part = values.size() / static_cast<size_t>(dims[0]);
  text += '[';
  for (int64_t i = 0; i < dims[0]; ++i) {
    if (i > 0) text += ", ";
    append_nested(values.subspan(static_cast<size_t>(i) * part, part), dims.subspan(1), text);
  }
  text += ']';
}

}  // namespace

std::string mlir_type(const Type& type) {
  if (type.dtype == DType::token) return "!stablehlo.token";
  std::string text = "tensor<";
  for (int64_t size : type.shape) text += str(size, "x");
  text += info(type.dtype).mlir_name;
  return text + ">";
}

std::string mlir_dense(const Literal& literal) {
  if (literal.size() == 0) return "dense<>";
  const DType dtype = literal.dtype();
  // Elements of less than a byte are packed in MLIR's hex form, so they are written out.
  const bool whole_bytes = dtype != DType::pred && dtype != DType::i4 && dtype != DType::u4;
  const bool splat = all_equal(literal);
  if (!splat && whole_bytes && literal.size() > elements_in_decimal) {
    return str("dense<\"", hex(literal.raw(), literal.byte_size(), false), "\">");
  }
  std::string text = "dense<";
  visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span<const T> values = literal.data<T>();
    if (splat) {
      text += element_text(T(values[0]));
    } else {
      append_nested(values, literal.shape().dims(), text);
    }
  });
  return text + ">";
}

}  // namespace ir
}  // namespace systolic::inline v0
