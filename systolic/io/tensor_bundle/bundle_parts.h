// A variable that was saved in parts, as partitioned ones are.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/io/tensor_bundle/bundle_entry.h"

namespace systolic::inline v0 {
namespace io {

// A part within the whole: as many numbers an axis, from there on.
struct BundlePart {
  std::vector<int64_t> start, size;
};

// The place of each part in a tensor of that shape. Calls `fail` with what is wrong, which must
// throw: parts that do not lie within it, that overlap, or leave holes.
std::vector<BundlePart> places_of_parts(const std::vector<BundleSlice>& slices, const Shape& shape,
                                        const std::function<void(std::string_view)>& fail);

// Copies a part, whose shape is place.size, to its place. Not for strings.
void copy_part(const Literal& part, const BundlePart& place, Literal& whole);

}  // namespace io
}  // namespace systolic::inline v0
