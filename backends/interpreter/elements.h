// Walking over arrays and moving elements of any type.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace interpreter {

using Index = std::vector<int64_t>;

// Calls visit(index) for every index of `shape`, row-major.
template <class Visitor>
void for_each_index(const Shape& shape, Visitor&& visit) {
  if (shape.elements() == 0) return;
  Index index(static_cast<size_t>(shape.rank()));
  do visit(static_cast<const Index&>(index));
  while (next_index(shape, index));
}

// Position of an index in row-major order.
inline int64_t offset_of(const Shape& shape, const Index& index) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    offset = offset * shape[static_cast<int>(i)] + index[i];
  }
  return offset;
}

// Is every coordinate within the shape?
inline bool inside(const Shape& shape, const Index& index) {
  for (size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= shape[static_cast<int>(i)]) return false;
  }
  return true;
}

inline void copy_element(const Literal& from, int64_t i, Literal& to, int64_t j) {
  const auto bytes = static_cast<size_t>(byte_width(from.dtype()));
  std::memcpy(to.mutable_raw() + static_cast<size_t>(j) * bytes,
              from.raw() + static_cast<size_t>(i) * bytes, bytes);
}

// The element as a scalar.
inline Literal element(const Literal& array, int64_t i) {
  Literal scalar(array.dtype(), {});
  copy_element(array, i, scalar, 0);
  return scalar;
}

// Fills a result of type `type`: element `index` comes from source(index), an offset in `from`, or
// is `otherwise` (a scalar) where that is negative.
template <class Source>
Literal moved(const ir::Type& type, const Literal& from, const Literal& otherwise,
              Source&& source) {
  Literal result(type.dtype, type.shape);
  int64_t position = 0;
  for_each_index(type.shape, [&](const Index& index) {
    const int64_t offset = source(index);
    copy_element(offset < 0 ? otherwise : from, offset < 0 ? 0 : offset, result, position++);
  });
  return result;
}

}  // namespace interpreter
}  // namespace systolic::inline v0
