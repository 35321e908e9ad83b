// Making Tensors.
#pragma once

#include <initializer_list>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

using At = SourceLocation;

// constant(2.5f), constant({1, 2, 3}), constant({{1.f, 2.f}, {3.f, 4.f}}): the C++ type is the
// element type; a plain C++ double literal such as 1.0 gives f32, as in TensorFlow. For f64 pass a
// Literal.
template <Element T>
Tensor constant(T value) {
  if constexpr (std::is_same_v<T, double>)
    return Tensor(Literal::scalar(static_cast<float>(value)));
  else
    return Tensor(Literal::scalar(value));
}
inline Tensor constant(Literal value) { return Tensor(std::move(value)); }
template <Element T>
Tensor constant(std::initializer_list<T> values) {
  Literal literal = Literal::of<T>(values);
  if constexpr (std::is_same_v<T, double>) literal = literal.convert(DType::f32);
  return Tensor(std::move(literal));
}
template <Element T>
Tensor constant(std::initializer_list<std::initializer_list<T>> rows, At at = At::current()) {
  Literal literal = Literal::of<T>(rows, at);
  if constexpr (std::is_same_v<T, double>) literal = literal.convert(DType::f32);
  return Tensor(std::move(literal));
}
// A Tensor from a host array, so that `function` does not trace again when the value changes
// (tf.convert_to_tensor).
template <Element T>
Tensor convert_to_tensor(T value) {
  return constant(value);
}
inline Tensor convert_to_tensor(Literal value) { return constant(std::move(value)); }

// All elements 0, 1 or `value`, as dtype.
Tensor zeros(const Shape& shape, DType dtype = DType::f32, At at = At::current());
Tensor ones(const Shape& shape, DType dtype = DType::f32, At at = At::current());
Tensor fill(const Shape& shape, double value, DType dtype = DType::f32, At at = At::current());
// Zeros, or ones, of the shape and the type of x.
Tensor zeros_like(const Tensor& x, At at = At::current());
Tensor ones_like(const Tensor& x, At at = At::current());
// 0, 1, ..., limit - 1.
Tensor range(int64_t limit, DType dtype = DType::i32, At at = At::current());
// Counts along one axis of a larger shape.
Tensor iota(const Shape& shape, int axis, DType dtype = DType::i32, At at = At::current());
// The identity matrix, [rows, rows].
Tensor eye(int64_t rows, DType dtype = DType::f32, At at = At::current());

}  // namespace systolic::inline v0
