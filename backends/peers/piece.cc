#include "backends/peers/piece.h"

#include <cstring>

namespace systolic::inline v0 {
namespace peers {

Literal piece_of(const Literal& whole, int axis, int64_t index, int64_t pieces) {
  Shape shape = whole.shape();
  shape.set(axis, shape[axis] / pieces);
  Literal piece(whole.dtype(), shape);
  int64_t outer = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  if (outer == 0 || piece.byte_size() == 0) return piece;
  // For each index of the axes before it, its part of the axis lies together.
  const size_t bytes = piece.byte_size() / static_cast<size_t>(outer);
  const std::byte* from = whole.raw() + static_cast<size_t>(index) * bytes;
  std::byte* to = piece.mutable_raw();
  for (int64_t i = 0; i < outer; ++i) {
    std::memcpy(to, from, bytes);
    to += bytes;
    from += bytes * static_cast<size_t>(pieces);
  }
  return piece;
}

}  // namespace peers
}  // namespace systolic::inline v0
