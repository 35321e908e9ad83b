// Element types, shapes, host arrays and elements of datasets in streams:
// std::cout << literal.shape() << literal;
#pragma once

#include <ostream>

#include "systolic/core/example.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// "f32"
inline std::ostream& operator<<(std::ostream& out, DType dtype) { return out << to_string(dtype); }
// "(2, 3)"
inline std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << to_string(shape);
}
// As NumPy prints arrays.
inline std::ostream& operator<<(std::ostream& out, const Literal& literal) {
  return out << to_string(literal);
}
// "{image: f32(28, 28, 1), label: i64()}"
inline std::ostream& operator<<(std::ostream& out, const Example& example) {
  return out << to_string(example);
}

}  // namespace systolic::inline v0
