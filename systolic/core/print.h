// Element types, shapes and host arrays in streams: std::cout << literal.shape() << literal.
#pragma once

#include <ostream>

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

}  // namespace systolic::inline v0
