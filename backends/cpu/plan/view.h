// Where the elements of an array lie: a place, an offset and a stride an axis. Broadcasts,
// transposes and slices are views of their operand until somebody needs their elements one after
// the other.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/cpu/plan/plan.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct View {
  PlaceId place = no_place;
  ir::Type type = {};
  int64_t offset = 0;  // of the first element, in elements
  std::vector<int64_t> strides =
      {};  // in elements, one an axis; 0 repeats, negative runs backwards

  // Row-major without gaps (axes of size 1 may have any stride).
  bool is_dense() const;
  // One element for all indices.
  bool is_splat() const;
  bool operator==(const View&) const = default;
};

View dense_view(PlaceId place, const ir::Type& type);

// Into how many equal pieces the first axes cut both the view and the `place_elements` of its
// place, such that the i-th piece of the view reads only the i-th of the place: the most there are.
// The rows of a matrix for a view that repeats a row's number along the row; all elements where the
// view is dense. 1: any part of the view may read any of the place.
int64_t view_pieces(const View& view, int64_t place_elements);

// The views that movement ops make of `operand`; `type` is the result's.
View view_broadcast(const View& operand, const ir::Type& type, const ir::Axes& dimensions);
View view_transpose(const View& operand, const ir::Type& type, const ir::Axes& permutation);
View view_slice(const View& operand, const ir::Type& type, const ir::SliceAttributes& attributes);
View view_reverse(const View& operand, const ir::Axes& axes);
// The same elements in row-major order under another shape; nothing where that needs a copy.
std::optional<View> view_reshape(const View& operand, const ir::Type& type);

}  // namespace cpu
}  // namespace systolic::inline v0
