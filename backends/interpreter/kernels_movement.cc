#include <algorithm>

#include "backends/interpreter/elements.h"
#include "backends/interpreter/kernels.h"

namespace systolic::inline v0 {
namespace interpreter {

std::vector<Literal> run_broadcast_in_dim(const Call& call) {
  const Literal& x = call.operand();
  const ir::Axes& dimensions = call.op.get<ir::BroadcastAttributes>().dimensions;
  return {moved(call.result(), x, x, [&](const Index& index) {
    Index from(dimensions.size());
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = x.shape()[static_cast<int>(i)] == 1 ? 0 : index[static_cast<size_t>(dimensions[i])];
    }
    return offset_of(x.shape(), from);
  })};
}

std::vector<Literal> run_concatenate(const Call& call) {
  const auto axis = static_cast<size_t>(call.op.get<ir::ConcatenateAttributes>().dimension);
  Literal result(call.result().dtype, call.result().shape);
  int64_t start = 0;
  for (const Literal& part : call.operands) {
    int64_t position = 0;
    for_each_index(part.shape(), [&](const Index& index) {
      Index to = index;
      to[axis] += start;
      copy_element(part, position++, result, offset_of(result.shape(), to));
    });
    start += part.shape()[static_cast<int>(axis)];
  }
  return {result};
}

namespace {

// Start indices, moved so that a slice of `sizes` lies within `shape`.
Index clamped_starts(const Call& call, size_t first, const Shape& shape, const Shape& sizes) {
  Index starts;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t wanted = call.operand(first + static_cast<size_t>(axis)).integer_at(0);
    starts.push_back(std::clamp<int64_t>(wanted, 0, shape[axis] - sizes[axis]));
  }
  return starts;
}

Index sum(const Index& a, const Index& b) {
  Index result = a;
  for (size_t i = 0; i < a.size(); ++i) result[i] += b[i];
  return result;
}

}  // namespace

std::vector<Literal> run_dynamic_slice(const Call& call) {
  const Literal& x = call.operand();
  const Index starts = clamped_starts(call, 1, x.shape(), call.result().shape);
  return {moved(call.result(), x, x,
                [&](const Index& index) { return offset_of(x.shape(), sum(index, starts)); })};
}

std::vector<Literal> run_dynamic_update_slice(const Call& call) {
  const Literal& update = call.operand(1);
  Literal result = call.operand(0);
  const Index starts = clamped_starts(call, 2, result.shape(), update.shape());
  int64_t position = 0;
  for_each_index(update.shape(), [&](const Index& index) {
    copy_element(update, position++, result, offset_of(result.shape(), sum(index, starts)));
  });
  return {result};
}

std::vector<Literal> run_pad(const Call& call) {
  const Literal& x = call.operand();
  const auto& attributes = call.op.get<ir::PadAttributes>();
  return {moved(call.result(), x, call.operand(1), [&](const Index& index) -> int64_t {
    Index from(index.size());
    for (size_t i = 0; i < index.size(); ++i) {
      const int64_t step = attributes.interior_padding[i] + 1;
      const int64_t distance = index[i] - attributes.edge_padding_low[i];
      if (distance < 0 || distance % step != 0) return -1;
      from[i] = distance / step;
    }
    return inside(x.shape(), from) ? offset_of(x.shape(), from) : -1;
  })};
}

std::vector<Literal> run_reshape(const Call& call) {
  return {call.operand().reshape(call.result().shape)};
}

std::vector<Literal> run_reverse(const Call& call) {
  const Literal& x = call.operand();
  const ir::Axes& axes = call.op.get<ir::AxesAttributes>().axes;
  return {moved(call.result(), x, x, [&](const Index& index) {
    Index from = index;
    for (int64_t axis : axes) {
      const auto i = static_cast<size_t>(axis);
      from[i] = x.shape()[static_cast<int>(axis)] - 1 - index[i];
    }
    return offset_of(x.shape(), from);
  })};
}

std::vector<Literal> run_slice(const Call& call) {
  const Literal& x = call.operand();
  const auto& attributes = call.op.get<ir::SliceAttributes>();
  return {moved(call.result(), x, x, [&](const Index& index) {
    Index from = index;
    for (size_t i = 0; i < from.size(); ++i) {
      from[i] = attributes.start_indices[i] + index[i] * attributes.strides[i];
    }
    return offset_of(x.shape(), from);
  })};
}

std::vector<Literal> run_transpose(const Call& call) {
  const Literal& x = call.operand();
  const ir::Axes& permutation = call.op.get<ir::AxesAttributes>().axes;
  return {moved(call.result(), x, x, [&](const Index& index) {
    Index from(index.size());
    for (size_t i = 0; i < from.size(); ++i) from[static_cast<size_t>(permutation[i])] = index[i];
    return offset_of(x.shape(), from);
  })};
}

}  // namespace interpreter
}  // namespace systolic::inline v0
