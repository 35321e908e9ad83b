#include "plugin/box.h"

#include <complex>
#include <cstring>
#include <type_traits>

namespace systolic::inline v0 {
namespace plugin {
namespace {

// Copies a box of elements between two arrays with strides in bytes, in runs along the axes at the
// end that lie without gaps in both.
void copy_box(const Shape& size, size_t width, std::byte* to,
              const std::vector<int64_t>& to_strides, const std::byte* from,
              const std::vector<int64_t>& from_strides) {
  if (size.elements() == 0) return;
  int outer = size.rank();
  auto run = static_cast<int64_t>(width);
  while (outer > 0) {
    const auto axis = static_cast<size_t>(outer - 1);
    const bool touches =
        size[outer - 1] == 1 || (to_strides[axis] == run && from_strides[axis] == run);
    if (!touches) break;
    run *= size[outer - 1];
    --outer;
  }
  const Shape walked = size.slice(0, outer);
  std::vector<int64_t> index(static_cast<size_t>(outer), 0);
  do {
    int64_t to_at = 0, from_at = 0;
    for (size_t i = 0; i < index.size(); ++i) {
      to_at += index[i] * to_strides[i];
      from_at += index[i] * from_strides[i];
    }
    std::memcpy(to + to_at, from + from_at, static_cast<size_t>(run));
  } while (next_index(walked, index));
}

std::vector<int64_t> byte_strides(const Shape& shape, int width) {
  std::vector<int64_t> strides = shape.strides();
  for (int64_t& stride : strides) stride *= width;
  return strides;
}

int64_t offset_of(const std::vector<int64_t>& start, const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < start.size(); ++i) offset += start[i] * strides[i];
  return offset;
}

template <class T>
T sum(T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return a || b;
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(
        static_cast<Unsigned>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b)));
  } else if constexpr (std::is_floating_point_v<T> || !std::is_convertible_v<T, float>) {
    return a + b;  // complex numbers among them
  } else {
    return T(static_cast<float>(a) + static_cast<float>(b));
  }
}

Literal sum_of(const Literal& a, const Literal& b) {
  Literal result(a.dtype(), a.shape());
  const auto add = [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* from_a = reinterpret_cast<const T*>(a.raw());
    const auto* from_b = reinterpret_cast<const T*>(b.raw());
    auto* to = reinterpret_cast<T*>(result.mutable_raw());
    for (int64_t i = 0; i < a.shape().elements(); ++i) to[i] = sum<T>(from_a[i], from_b[i]);
  };
  visit_dtype(a.dtype(), add);
  return result;
}

}  // namespace

Literal part_of(const Literal& whole, const stablehlo::Parts& parts, size_t core) {
  if (!parts.addend.empty() && parts.addend[core] != 0) {
    return Literal::zeros(whole.dtype(), Shape(parts.size));
  }
  const int width = byte_width(whole.dtype());
  Literal part(whole.dtype(), Shape(parts.size));
  const std::vector<int64_t> strides = byte_strides(whole.shape(), width);
  copy_box(part.shape(), static_cast<size_t>(width), part.mutable_raw(),
           byte_strides(part.shape(), width), whole.raw() + offset_of(parts.start[core], strides),
           strides);
  return part;
}

void put_part(Literal& whole, const Literal& given, const stablehlo::Parts& parts, size_t core) {
  Literal part = given;
  if (!parts.addend.empty()) part = sum_of(part_of(whole, {parts.size, parts.start}, core), given);
  const int width = byte_width(whole.dtype());
  const std::vector<int64_t> strides = byte_strides(whole.shape(), width);
  copy_box(part.shape(), static_cast<size_t>(width),
           whole.mutable_raw() + offset_of(parts.start[core], strides), strides, part.raw(),
           byte_strides(part.shape(), width));
}

Literal gathered(DType dtype, const Shape& shape, const std::byte* data,
                 const std::vector<int64_t>& from_strides) {
  Literal result(dtype, shape);
  const int width = byte_width(dtype);
  copy_box(shape, static_cast<size_t>(width), result.mutable_raw(), byte_strides(shape, width),
           data, from_strides);
  return result;
}

void spread(const Literal& array, const std::vector<int64_t>& minor_to_major, std::byte* to) {
  const int width = byte_width(array.dtype());
  std::vector<int64_t> strides(minor_to_major.size());
  int64_t stride = width;
  for (int64_t axis : minor_to_major) {
    strides[static_cast<size_t>(axis)] = stride;
    stride *= array.shape()[static_cast<int>(axis)];
  }
  copy_box(array.shape(), static_cast<size_t>(width), to, strides, array.raw(),
           byte_strides(array.shape(), width));
}

}  // namespace plugin
}  // namespace systolic::inline v0
