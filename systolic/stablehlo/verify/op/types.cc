#include "systolic/stablehlo/verify/op/types.h"

#include <algorithm>
#include <limits>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace stablehlo {

using E = ElementType;

namespace {

bool in(ElementType type, ElementType first, ElementType last) {
  return type >= first && type <= last;
}

bool plain(const Type& type, ElementType first, ElementType last) {
  return !type.quantization && in(type.element, first, last);
}

}  // namespace

bool is_boolean(const Type& type) { return plain(type, E::i1, E::i1); }
bool is_signed_integer(const Type& type) { return plain(type, E::i2, E::i64); }
bool is_unsigned_integer(const Type& type) { return plain(type, E::ui2, E::ui64); }
bool is_integer(const Type& type) { return plain(type, E::i2, E::ui64); }
bool is_float(const Type& type) { return plain(type, E::f4e2m1fn, E::f64); }
bool is_complex(const Type& type) { return plain(type, E::c64, E::c128); }
bool is_quantized(const Type& type) { return type.quantization != nullptr; }
bool is_per_axis_quantized(const Type& type) {
  return type.quantization != nullptr && type.quantization->axis.has_value();
}
bool is_per_tensor_quantized(const Type& type) {
  return type.quantization != nullptr && !type.quantization->axis.has_value();
}

ElementType complex_part(ElementType type) {
  return type == E::c64 ? E::f32 : type == E::c128 ? E::f64 : type;
}

std::pair<int64_t, int64_t> range_of(ElementType storage) {
  const int bits = info(storage).bits;
  const bool is_unsigned = in(storage, E::ui2, E::ui64);
  if (bits >= 64) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    return {is_unsigned ? 0 : std::numeric_limits<int64_t>::min(), most};
  }
  const int64_t half = int64_t{1} << (bits - 1);
  return is_unsigned ? std::pair(int64_t{0}, 2 * half - 1) : std::pair(-half, half - 1);
}

std::pair<int64_t, int64_t> storage_range(const Quantization& quantization) {
  if (!quantization.names_range) return range_of(quantization.storage);
  return {quantization.storage_min, quantization.storage_max};
}

bool same_baseline_element(const Type& a, const Type& b) {
  if (is_quantized(a) != is_quantized(b)) return false;
  if (!a.quantization) return a.element == b.element;
  return a.quantization->storage == b.quantization->storage &&
         a.quantization->expressed == b.quantization->expressed &&
         storage_range(*a.quantization) == storage_range(*b.quantization);
}

bool same_element(const Type& a, const Type& b) {
  if (!same_baseline_element(a, b)) return false;
  if (!a.quantization || a.quantization == b.quantization) return true;
  return a.quantization->axis == b.quantization->axis &&
         a.quantization->scales == b.quantization->scales &&
         a.quantization->zero_points == b.quantization->zero_points;
}

bool is_promotable(const Type& from, const Type& to) {
  if (is_quantized(from) || is_quantized(to)) {
    return is_quantized(from) && is_quantized(to) &&
           from.quantization->expressed == to.quantization->expressed &&
           info(from.quantization->storage).bits <= info(to.quantization->storage).bits;
  }
  const bool same_class = (is_boolean(from) && is_boolean(to)) ||
                          (is_integer(from) && is_integer(to)) ||
                          (is_float(from) && is_float(to)) || (is_complex(from) && is_complex(to));
  return same_class && info(from.element).bits <= info(to.element).bits;
}

bool same_shape(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!compatible(a[i], b[i])) return false;
  }
  return true;
}

std::optional<int64_t> padded_size(int64_t size, int64_t low, int64_t interior, int64_t high) {
  if (size == dynamic_size) return std::nullopt;
  int64_t total = 0;
  const bool overflows = __builtin_mul_overflow(std::max<int64_t>(size - 1, 0), interior, &total) ||
                         __builtin_add_overflow(total, size, &total) ||
                         __builtin_add_overflow(total, low, &total) ||
                         __builtin_add_overflow(total, high, &total);
  if (overflows) return std::nullopt;
  return total;
}

std::optional<int64_t> num_windows(int64_t input, const WindowAxis& axis) {
  const std::optional<int64_t> padded =
      padded_size(input, axis.low, axis.base_dilation - 1, axis.high);
  const std::optional<int64_t> window = padded_size(axis.size, 0, axis.dilation - 1, 0);
  if (!padded || !window || axis.stride < 1) return std::nullopt;
  if (*padded <= 0 || *window > *padded) return 0;
  return (*padded - *window) / axis.stride + 1;
}

std::vector<int64_t> bounds_of(const Type& type) {
  constexpr std::string_view start = "#stablehlo.bounds<";
  std::vector<int64_t> bounds;
  std::string_view text = type.encoding;
  if (text.substr(0, start.size()) != start || text.back() != '>') return bounds;
  text = text.substr(start.size(), text.size() - start.size() - 1);
  for (const std::string& part : split(text, ',')) {
    int64_t bound = dynamic_size;
    const bool number = parse_number(trim(part), bound);
    bounds.push_back(number ? bound : dynamic_size);
  }
  return bounds;
}

int64_t largest_size(const Type& type, size_t axis) {
  if (type.dims[axis] != dynamic_size || type.encoding.empty()) return type.dims[axis];
  const std::vector<int64_t> bounds = bounds_of(type);
  return axis < bounds.size() ? bounds[axis] : dynamic_size;
}

bool same_bounded_shape(const Type& a, const Type& b) {
  if (!same_shape(a.dims, b.dims)) return false;
  if (a.encoding.empty() && b.encoding.empty()) return true;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    const int64_t first = largest_size(a, i), second = largest_size(b, i);
    if (first == dynamic_size || second == dynamic_size) continue;
    if (a.dims[i] != dynamic_size && a.dims[i] > second) return false;
    if (b.dims[i] != dynamic_size && b.dims[i] > first) return false;
  }
  return true;
}

bool same_type(const Program& program, TypeId first, TypeId second) {
  if (first == second) return true;
  const Type &a = program.type(first), &b = program.type(second);
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Type::Kind::token:
      return true;
    case Type::Kind::tensor:
    case Type::Kind::scalar:
      return same_element(a, b) && (a.unranked || b.unranked || same_bounded_shape(a, b));
    case Type::Kind::opaque:
      return a.encoding == b.encoding;
    default:
      break;
  }
  if (a.parts.size() != b.parts.size() || a.inputs != b.inputs) return false;
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (!same_type(program, a.parts[i], b.parts[i])) return false;
  }
  return true;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
