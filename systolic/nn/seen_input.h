// What a layer inside of a network sees of the network's inputs, as far as that is declared: fit
// checks the integers that are looked up of them before they reach the device. A layer that only
// moves elements says how:
//
//   std::optional<SeenInput> moved(const SeenInput& x) const {
//     return reshaped(x, {x.shape[0], 3});
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/core/dtype.h"
#include "systolic/core/shape.h"

namespace systolic::inline v0 {

// Along each axis the elements from `start` on, every `stride`-th, before `limit`.
struct SeenPart {
  std::vector<int64_t> start, limit, stride;
};

// An input of a network, its elements moved or cut at most.
struct SeenInput {
  size_t input = 0;  // of the network
  DType dtype = DType::f32;
  Shape shape = {};
  bool cuts = false;                  // of floats, which a cast made integers
  bool in_place = true;               // its axes are still those of the input
  std::optional<SeenPart> part = {};  // along the input's axes, where it is not all of it
};

// Some integers of an input, which must lie in [0, limit).
struct SeenLookup {
  SeenInput values;
  int64_t limit = 0;
  std::string layer;  // the path of the one that looks them up
};

// The same elements under another shape.
SeenInput reshaped(SeenInput x, const Shape& shape);
// The elements in another order.
SeenInput reordered(SeenInput x, const Shape& shape);
// As another type.
SeenInput converted(SeenInput x, DType dtype);
// A part of it, of that shape. Nothing where its place in the input is not known.
std::optional<SeenInput> part_of(SeenInput x, SeenPart part, const Shape& shape);

}  // namespace systolic::inline v0
