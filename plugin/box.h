// Copies between an array and a part of it.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/stablehlo/sharding.h"

namespace systolic::inline v0 {
namespace plugin {

// The part of `whole` that core `core` holds; of an unreduced array zeros on cores that have
// another addend than number 0.
Literal part_of(const Literal& whole, const stablehlo::Parts& parts, size_t core);
// Puts a part in its place in `whole`; of an unreduced array it is added to what is there.
void put_part(Literal& whole, const Literal& part, const stablehlo::Parts& parts, size_t core);
// A row-major copy of an array whose elements are `byte_strides` apart.
Literal gathered(DType dtype, const Shape& shape, const std::byte* data,
                 const std::vector<int64_t>& byte_strides);
// Copies an array to memory in which the axes have another order: minor_to_major[0] is the axis
// whose neighbours are adjacent.
void spread(const Literal& array, const std::vector<int64_t>& minor_to_major, std::byte* to);

}  // namespace plugin
}  // namespace systolic::inline v0
