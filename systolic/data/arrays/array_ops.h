// Arithmetic on host arrays, for the functions given to map. Names and meaning as in TensorFlow.
//
//   Literal image = data::cast(data::decode_raw(e["image"], DType::u8), DType::f32) / 255;
//
// All of it works on one element and on a batch alike. Arrays passed as temporaries are changed in
// place.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// An integer of any type up to 64 bits.
struct HostInteger {
  uint64_t bits;  // modulo 2^64
  bool negative;
};
// A C++ integer that arithmetic on arrays takes, but not bool.
template <class T>
concept HostIntegral = std::integral<T> && !std::same_as<T, bool>;

// With a number, element by element. Integers with an integer keep their type and wrap around, as
// TensorFlow's do, and their "/" is the true quotient: f32 for 8 and 16 bits, f64 for 32 and 64. An
// integer that the type cannot hold is an InvalidArgument, as are integers with a fraction: cast
// them first.
Literal operator+(Literal x, double y);
Literal operator-(Literal x, double y);
Literal operator*(Literal x, double y);
Literal operator/(Literal x, double y);
Literal operator-(double x, Literal y);
Literal operator/(double x, Literal y);
inline Literal operator+(double x, Literal y) { return std::move(y) + x; }
inline Literal operator*(double x, Literal y) { return std::move(y) * x; }
Literal plus_integer(Literal x, HostInteger y);
Literal minus_integer(Literal x, HostInteger y);
Literal times_integer(Literal x, HostInteger y);
Literal over_integer(Literal x, HostInteger y);
Literal integer_minus(HostInteger x, Literal y);
Literal integer_over(HostInteger x, Literal y);

// The integer as a HostInteger, whatever its type.
template <HostIntegral T>
HostInteger host_integer(T value) {
  return {.bits = static_cast<uint64_t>(value), .negative = value < 0};
}
template <HostIntegral T>
Literal operator+(Literal x, T y) {
  return plus_integer(std::move(x), host_integer(y));
}
template <HostIntegral T>
Literal operator-(Literal x, T y) {
  return minus_integer(std::move(x), host_integer(y));
}
template <HostIntegral T>
Literal operator*(Literal x, T y) {
  return times_integer(std::move(x), host_integer(y));
}
template <HostIntegral T>
Literal operator/(Literal x, T y) {
  return over_integer(std::move(x), host_integer(y));
}
template <HostIntegral T>
Literal operator+(T x, Literal y) {
  return plus_integer(std::move(y), host_integer(x));
}
template <HostIntegral T>
Literal operator-(T x, Literal y) {
  return integer_minus(host_integer(x), std::move(y));
}
template <HostIntegral T>
Literal operator*(T x, Literal y) {
  return times_integer(std::move(y), host_integer(x));
}
template <HostIntegral T>
Literal operator/(T x, Literal y) {
  return integer_over(host_integer(x), std::move(y));
}

// Two arrays of the same type, floats or integers; `y` has the shape of `x` or of its last axes:
// (200, 28, 28, 3) - (3,).
Literal operator+(Literal x, const Literal& y);
Literal operator-(Literal x, const Literal& y);
Literal operator*(Literal x, const Literal& y);
Literal operator/(Literal x, const Literal& y);

// With one number for each channel, the last axis; floats.
Literal operator+(Literal x, std::span<const double> y);
Literal operator-(Literal x, std::span<const double> y);
Literal operator*(Literal x, std::span<const double> y);
Literal operator/(Literal x, std::span<const double> y);

// x /= 255.0, and the others.
template <class T>
requires requires(Literal x, const T& y) { x + y; }
Literal& operator+=(Literal& x, const T& y) { return x = x + y; }
template <class T>
requires requires(Literal x, const T& y) { x - y; }
Literal& operator-=(Literal& x, const T& y) { return x = x - y; }
template <class T>
requires requires(Literal x, const T& y) { x* y; }
Literal& operator*=(Literal& x, const T& y) { return x = x * y; }
template <class T>
requires requires(Literal x, const T& y) { x / y; }
Literal& operator/=(Literal& x, const T& y) { return x = x / y; }

namespace data {

// The InvalidArgument of array() for rows of different lengths: `row` has `length`, row 0 has
// `of_first`.
[[noreturn]] void raise_ragged(size_t row, size_t length, size_t of_first, SourceLocation location);

// NumPy's array: of numbers [length], of rows of one length [rows, length]: array({1, 0, 1}),
// array(rows), array({tokenizer.encode(text).ids}).
template <Element T>
Literal array(const std::vector<T>& values) {
  return Literal::from(values, Shape{static_cast<int64_t>(values.size())});
}
template <Element T>
Literal array(std::initializer_list<T> values) {
  return array(std::vector<T>(values));
}
template <Element T>
Literal array(const std::vector<std::vector<T>>& rows,
              SourceLocation location = SourceLocation::current());
template <Element T>
Literal array(std::initializer_list<std::vector<T>> rows,
              SourceLocation location = SourceLocation::current()) {
  return array(std::vector<std::vector<T>>(rows), location);
}

// Literal::convert under TensorFlow's name.
inline Literal cast(const Literal& x, DType dtype) { return x.convert(dtype); }

// x * factor + offset as f32, from any number type, in one pass: scale(image, 1.0 / 255).
Literal scale(const Literal& x, double factor, double offset = 0);
// (x - mean) / standard_deviation as f32, with one number for each channel, the last axis; or one
// for all.
Literal normalize(const Literal& x, std::span<const double> mean,
                  std::span<const double> standard_deviation,
                  SourceLocation location = SourceLocation::current());

// One size may be -1: whatever is left. No copy.
Literal reshape(const Literal& x, const Shape& shape,
                SourceLocation location = SourceLocation::current());
// Axis `i` of the result is axis `permutation[i]` of `x`; without a permutation the axes are
// reversed.
Literal transpose(const Literal& x, std::vector<int> permutation = {},
                  SourceLocation location = SourceLocation::current());
// The box of `size` elements starting at `begin`, one number for each axis; size -1 is all that is
// left of the axis.
Literal slice(const Literal& x, const std::vector<int64_t>& begin, const std::vector<int64_t>& size,
              SourceLocation location = SourceLocation::current());
// x[begin:end] of the first axis, as Python counts: negative numbers count from the end, and
// neither goes beyond the axis.
Literal rows(const Literal& x, int64_t begin, int64_t end = INT64_MAX,
             SourceLocation location = SourceLocation::current());
// Adds (before, after) elements of `value` to each axis.
Literal pad(const Literal& x, const std::vector<std::pair<int64_t, int64_t>>& paddings,
            double value = 0, SourceLocation location = SourceLocation::current());
// A new last axis of `depth` zeros with a one where the integer says; all zeros where it is out of
// range, as in tf.one_hot.
Literal one_hot(const Literal& indices, int64_t depth, DType dtype = DType::f32,
                SourceLocation location = SourceLocation::current());
// Arrays of one type and shape along a new first axis.
Literal stack(std::span<const Literal> arrays, SourceLocation location = SourceLocation::current());
// Adds an axis of size 1.
Literal expand_dims(const Literal& x, int axis,
                    SourceLocation location = SourceLocation::current());

// The bytes of strings as little-endian numbers, along a new last axis: string(200,) of 784 bytes
// each gives u8(200, 784). Strings of different lengths, or that do not divide by the type's width,
// are an InvalidArgument.
Literal decode_raw(const Literal& strings, DType dtype,
                   SourceLocation location = SourceLocation::current());

template <Element T>
Literal array(const std::vector<std::vector<T>>& rows, SourceLocation location) {
  if (rows.empty()) return Literal(dtype_of<T>, Shape{0});
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i].size() != rows[0].size()) raise_ragged(i, rows[i].size(), rows[0].size(), location);
  std::vector<Literal> arrays;
  for (const std::vector<T>& row : rows)
    arrays.push_back(Literal::from(row, Shape{static_cast<int64_t>(row.size())}));
  return stack(arrays, location);
}

}  // namespace data
}  // namespace systolic::inline v0
