// Ops that move elements: the core axis stays in front, the axes they name move one up.
#include "systolic/core/axes.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::Op;
using ir::OpCode;
using ir::Value;

Axes shifted(const Axes& axes) {
  Axes result;
  for (int64_t axis : axes) result.push_back(axis + 1);
  return result;
}

Axes prepended(int64_t first, const Axes& axes) { return joined_axes(Axes{first}, axes); }

Value row(Value x, int64_t i) {
  Axes start(static_cast<size_t>(x.rank()), 0), limit = x.shape().to_vector();
  start[0] = i;
  limit[0] = i + 1;
  return slice(x, start, limit);
}

Value move_axis(Value x, int from, int to) {
  if (from == to) return x;
  Axes permutation;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (axis != from) permutation.push_back(axis);
  }
  permutation.insert(permutation.begin() + to, from);
  return transpose(x, std::move(permutation));
}

Value merge_axes(Value x, int axis) {
  Shape shape = x.shape().without(axis);
  shape.set(axis, x.shape()[axis] * x.shape()[axis + 1]);
  return reshape(x, shape);
}

Value split_axis(Value x, int axis, int64_t first) {
  Shape shape = x.shape().with_inserted(axis, first);
  shape.set(axis + 1, x.shape()[axis] / first);
  return reshape(x, shape);
}

void stack_broadcast_in_dim(Stacker& s, const Op& op) {
  const Axes& dimensions = op.get<ir::BroadcastAttributes>().dimensions;
  s.set(op.results[0],
        broadcast_in_dim(s.get(op.operands[0]), s.with_cores(s.source_type(op.results[0])).shape,
                         prepended(0, shifted(dimensions))),
        true);
}

void stack_concatenate(Stacker& s, const Op& op) {
  const int64_t dimension = op.get<ir::ConcatenateAttributes>().dimension;
  s.set(op.results[0], concatenate(s.get_all_stacked(op.operands), dimension + 1), true);
}

void stack_pad(Stacker& s, const Op& op) {
  if (s.stacked(op.operands[1])) return s.unroll(op);
  const auto& a = op.get<ir::PadAttributes>();
  s.set(op.results[0],
        pad(s.get_stacked(op.operands[0]), s.get(op.operands[1]), prepended(0, a.edge_padding_low),
            prepended(0, a.edge_padding_high), prepended(0, a.interior_padding)),
        true);
}

void stack_reshape(Stacker& s, const Op& op) {
  s.set(op.results[0],
        reshape(s.get(op.operands[0]), s.with_cores(s.source_type(op.results[0])).shape), true);
}

// transpose and reverse.
void stack_axes(Stacker& s, const Op& op) {
  const Axes axes = shifted(op.get<ir::AxesAttributes>().axes);
  const Value x = s.get(op.operands[0]);
  s.set(op.results[0],
        op.code == OpCode::transpose ? transpose(x, prepended(0, axes)) : reverse(x, axes), true);
}

void stack_slice(Stacker& s, const Op& op) {
  const auto& a = op.get<ir::SliceAttributes>();
  s.set(op.results[0],
        slice(s.get(op.operands[0]), prepended(0, a.start_indices),
              prepended(s.cores(), a.limit_indices), prepended(1, a.strides)),
        true);
}

void stack_sort(Stacker& s, const Op& op) {
  ir::SortAttributes a = op.get<ir::SortAttributes>();
  // From the end an axis counts the same; from the front it moves up.
  if (a.dimension >= 0) ++a.dimension;
  const std::vector<Value> results =
      s.builder().append(OpCode::sort, s.get_all_stacked(op.operands), a, s.copy_regions(op));
  for (size_t i = 0; i < results.size(); ++i) s.set(op.results[i], results[i], true);
}

}  // namespace passes
}  // namespace systolic::inline v0
