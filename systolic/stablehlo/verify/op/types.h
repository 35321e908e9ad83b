// What the specification's functions on types say: is_promotable, baseline types.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

bool is_boolean(const Type& type);
bool is_signed_integer(const Type& type);
bool is_unsigned_integer(const Type& type);
bool is_integer(const Type& type);
bool is_float(const Type& type);
bool is_complex(const Type& type);
bool is_quantized(const Type& type);
bool is_per_axis_quantized(const Type& type);
bool is_per_tensor_quantized(const Type& type);

// f32 for complex<f32>.
ElementType complex_part(ElementType type);
// The lowest and the highest number that a type stores.
std::pair<int64_t, int64_t> range_of(ElementType storage);
std::pair<int64_t, int64_t> storage_range(const Quantization& quantization);

// Compares the elements alone. A baseline leaves scales, zero points and the quantized axis out.
bool same_element(const Type& a, const Type& b);
bool same_baseline_element(const Type& a, const Type& b);
bool is_promotable(const Type& from, const Type& to);

// "?" fits every size.
inline bool compatible(int64_t a, int64_t b) {
  return a == b || a == dynamic_size || b == dynamic_size;
}
bool same_shape(const std::vector<int64_t>& a, const std::vector<int64_t>& b);
// size + low + max(size - 1, 0) * interior + high; nothing where that is not known, or no int64.
std::optional<int64_t> padded_size(int64_t size, int64_t low, int64_t interior, int64_t high);

// One axis of a window op.
struct WindowAxis {
  int64_t size = 1, stride = 1, low = 0, high = 0, base_dilation = 1, dilation = 1;
};
// num_windows of the specification over an axis of `input` elements; nothing as above.
std::optional<int64_t> num_windows(int64_t input, const WindowAxis& axis);

// How large each axis may be: #stablehlo.bounds<?, 4> of a tensor; dynamic_size for "?", nothing
// where the type has no bounds.
std::vector<int64_t> bounds_of(const Type& type);
// The size, or what bounds it; dynamic_size where neither is known.
int64_t largest_size(const Type& type, size_t axis);
// Shapes that can be those of one array: sizes fit, and none exceeds the other's bound.
bool same_bounded_shape(const Type& a, const Type& b);

// For any kind of type: tokens, tuples, tensors.
bool same_type(const Program& program, TypeId a, TypeId b);

}  // namespace stablehlo
}  // namespace systolic::inline v0
