#include "systolic/io/tensor_bundle/bundle_parts.h"

#include <cstring>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace io {
namespace {

constexpr size_t most_parts = 4096;  // each is compared with each

int64_t elements_of(const BundlePart& part) { return Shape(part.size).elements(); }

// Whether two parts have an element in common.
bool overlap(const BundlePart& a, const BundlePart& b) {
  if (elements_of(a) == 0 || elements_of(b) == 0) return false;
  for (size_t axis = 0; axis < a.start.size(); ++axis) {
    if (a.start[axis] >= b.start[axis] + b.size[axis]) return false;
    if (b.start[axis] >= a.start[axis] + a.size[axis]) return false;
  }
  return true;
}

BundlePart place_of(const BundleSlice& slice, const Shape& shape,
                    const std::function<void(std::string_view)>& fail) {
  if (slice.extents.size() != static_cast<size_t>(shape.rank()))
    fail(str("a part of ", slice.extents.size(), " axes in a tensor of shape ", shape));
  BundlePart place;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const BundleSlice::Extent& extent = slice.extents[static_cast<size_t>(axis)];
    const int64_t start = extent.start, size = extent.length.value_or(shape[axis]);
    if (start < 0 || size < 0 || start > shape[axis] || size > shape[axis] - start) {
      fail(str("a part of ", size, " from ", start, " on in axis ", axis, " of shape ", shape));
    }
    place.start.push_back(start);
    place.size.push_back(size);
  }
  return place;
}

}  // namespace

std::vector<BundlePart> places_of_parts(const std::vector<BundleSlice>& slices, const Shape& shape,
                                        const std::function<void(std::string_view)>& fail) {
  if (slices.size() > most_parts) fail(str(slices.size(), " parts, more than ", most_parts));
  std::vector<BundlePart> places;
  int64_t elements = 0;
  for (const BundleSlice& slice : slices) {
    BundlePart place = place_of(slice, shape, fail);
    for (const BundlePart& other : places) {
      if (overlap(place, other)) fail("parts that overlap");
    }
    elements += elements_of(place);
    places.push_back(std::move(place));
  }
  if (elements != shape.elements())
    fail(str("parts of ", elements, " elements in all, for shape ", shape));
  return places;
}

void copy_part(const Literal& part, const BundlePart& place, Literal& whole) {
  if (part.size() == 0) return;
  const auto width = static_cast<size_t>(byte_width(whole.dtype()));
  std::byte* to = whole.mutable_raw();
  const std::byte* from = part.raw();
  if (place.start.empty()) {
    std::memcpy(to, from, width);
    return;
  }
  const size_t row_bytes = static_cast<size_t>(place.size.back()) * width;
  const std::vector<int64_t> strides = whole.shape().strides();
  const Shape rows = Shape(place.size).slice(0, whole.rank() - 1);
  std::vector<int64_t> index(static_cast<size_t>(rows.rank()), 0);
  do {
    int64_t offset = place.start.back();
    for (size_t axis = 0; axis < index.size(); ++axis)
      offset += (place.start[axis] + index[axis]) * strides[axis];
    std::memcpy(to + static_cast<size_t>(offset) * width, from, row_bytes);
    from += row_bytes;
  } while (next_index(rows, index));
}

}  // namespace io
}  // namespace systolic::inline v0
