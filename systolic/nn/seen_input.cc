#include "systolic/nn/seen_input.h"

#include <utility>

namespace systolic::inline v0 {

SeenInput reshaped(SeenInput x, const Shape& shape) {
  return x.shape == shape ? x : reordered(std::move(x), shape);
}

SeenInput reordered(SeenInput x, const Shape& shape) {
  x.in_place = false;
  x.shape = shape;
  return x;
}

SeenInput converted(SeenInput x, DType dtype) {
  x.cuts = x.cuts || (is_float(x.dtype) && is_integer(dtype));
  x.dtype = dtype;
  return x;
}

std::optional<SeenInput> part_of(SeenInput x, SeenPart part, const Shape& shape) {
  if (!x.in_place || x.part) return std::nullopt;
  x.part = std::move(part);
  x.shape = shape;
  return x;
}

}  // namespace systolic::inline v0
