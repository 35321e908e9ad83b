#include "backends/cpu/plan/view.h"

#include <functional>
#include <numeric>

namespace systolic::inline v0 {
namespace cpu {

bool View::is_dense() const {
  int64_t expected = 1;
  for (int axis = type.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = type.shape[axis];
    if (size == 0) return true;
    if (size != 1 && strides[static_cast<size_t>(axis)] != expected) return false;
    expected *= size;
  }
  return true;
}

bool View::is_splat() const {
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    if (type.shape[axis] != 1 && strides[static_cast<size_t>(axis)] != 0) return false;
  }
  return true;
}

int64_t view_pieces(const View& view, int64_t place_elements) {
  const std::vector<int64_t> dims = view.type.shape.to_vector();
  if (view.offset != 0 || view.strides.size() != dims.size() || place_elements == 0) return 1;
  for (size_t first = dims.size(); first > 0; --first) {  // axes that would cut
    const int64_t pieces =
        std::accumulate(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(first), int64_t{1},
                        std::multiplies<>());
    if (pieces == 0 || place_elements % pieces != 0) continue;
    const int64_t piece = place_elements / pieces;
    int64_t stride = piece, last = 0;  // the last element of a piece that is read
    bool fits = true;
    for (size_t i = first; i-- > 0; stride *= dims[i]) {
      fits = fits && (dims[i] == 1 || view.strides[i] == stride);
    }
    for (size_t i = first; i < dims.size(); ++i) {
      fits = fits && view.strides[i] >= 0;
      last += (dims[i] - 1) * view.strides[i];
    }
    if (fits && last < piece) return pieces;
  }
  return 1;
}

View dense_view(PlaceId place, const ir::Type& type) {
  return {.place = place, .type = type, .offset = 0, .strides = type.shape.strides()};
}

View view_broadcast(const View& operand, const ir::Type& type, const ir::Axes& dimensions) {
  View view{.place = operand.place, .type = type, .offset = operand.offset};
  view.strides.assign(static_cast<size_t>(type.shape.rank()), 0);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const bool repeated = operand.type.shape[static_cast<int>(i)] == 1;
    view.strides[static_cast<size_t>(dimensions[i])] = repeated ? 0 : operand.strides[i];
  }
  return view;
}

View view_transpose(const View& operand, const ir::Type& type, const ir::Axes& permutation) {
  View view{.place = operand.place, .type = type, .offset = operand.offset};
  for (int64_t axis : permutation) {
    view.strides.push_back(operand.strides[static_cast<size_t>(axis)]);
  }
  return view;
}

View view_slice(const View& operand, const ir::Type& type, const ir::SliceAttributes& attributes) {
  View view{.place = operand.place, .type = type, .offset = operand.offset};
  for (size_t i = 0; i < operand.strides.size(); ++i) {
    view.offset += attributes.start_indices[i] * operand.strides[i];
    view.strides.push_back(attributes.strides[i] * operand.strides[i]);
  }
  if (type.shape.elements() == 0) view.offset = operand.offset;
  return view;
}

View view_reverse(const View& operand, const ir::Axes& axes) {
  View view = operand;
  for (int64_t axis : axes) {
    const auto i = static_cast<size_t>(axis);
    const int64_t size = operand.type.shape[static_cast<int>(axis)];
    if (size > 0) view.offset += (size - 1) * operand.strides[i];
    view.strides[i] = -operand.strides[i];
  }
  return view;
}

namespace {

// Axes of size 1 carry nothing: sizes and strides of the others.
struct Extent {
  int64_t size, stride;
};
std::vector<Extent> real_axes(const View& view) {
  std::vector<Extent> axes;
  for (int i = 0; i < view.type.shape.rank(); ++i) {
    if (view.type.shape[i] != 1) {
      axes.push_back({view.type.shape[i], view.strides[static_cast<size_t>(i)]});
    }
  }
  return axes;
}

// Joins neighbours that one stride covers.
std::vector<Extent> joined(const std::vector<Extent>& axes) {
  std::vector<Extent> result;
  for (const Extent& axis : axes) {
    if (!result.empty() && result.back().stride == axis.size * axis.stride) {
      result.back() = {result.back().size * axis.size, axis.stride};
    } else {
      result.push_back(axis);
    }
  }
  return result;
}

}  // namespace

std::optional<View> view_reshape(const View& operand, const ir::Type& type) {
  View view{.place = operand.place, .type = type, .offset = operand.offset};
  view.strides = type.shape.strides();
  if (operand.is_dense()) return view;
  // Each run of the operand's axes with one stride must be cut into whole axes of the result.
  const std::vector<Extent> axes = joined(real_axes(operand));
  size_t source = axes.size();
  int64_t left = 1, stride = 0;
  for (int axis = type.shape.rank() - 1; axis >= 0; --axis) {
    const int64_t size = type.shape[axis];
    if (size == 1) continue;
    if (left == 1) {
      if (source == 0) return std::nullopt;
      --source;
      left = axes[source].size;
      stride = axes[source].stride;
    }
    if (size == 0 || left % size != 0) return std::nullopt;
    view.strides[static_cast<size_t>(axis)] = stride;
    stride *= size;
    left /= size;
  }
  if (left != 1 || source != 0) return std::nullopt;
  return view;
}

}  // namespace cpu
}  // namespace systolic::inline v0
