// Applies a function of one picture to a batch of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/core/literal.h"
#include "systolic/image/augment/random.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {

// function(picture, seed) for `images` with `seed`, or for every row of a batch with its own seed.
// All results have one shape.
template <class Function>
Literal each_picture(const Literal& images, uint64_t seed, const Function& function) {
  if (!extent_of(ErrorScope::current(), images).has_batch) return function(images, seed);
  Literal result;
  size_t bytes = 0;
  for (int64_t i = 0; i < images.shape()[0]; ++i) {
    const Literal one = function(images.row(i), element_seed(seed, static_cast<uint64_t>(i)));
    if (i == 0) {
      std::vector<int64_t> dims{images.shape()[0]};
      dims.insert(dims.end(), one.shape().dims().begin(), one.shape().dims().end());
      result = Literal(one.dtype(), Shape(dims));
      bytes = one.byte_size();
    }
    ensure(one.byte_size() == bytes, "the pictures of a batch stay of one shape");
    std::memcpy(result.mutable_raw() + static_cast<size_t>(i) * bytes, one.raw(), bytes);
  }
  return result;
}

}  // namespace image
}  // namespace systolic::inline v0
