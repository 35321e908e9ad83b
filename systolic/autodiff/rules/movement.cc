// Gradients of ops that move elements: each is the move back, and a sum where an element was
// copied.
#include <algorithm>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/autodiff/rules/indexing.h"
#include "systolic/core/axes.h"
#include "systolic/core/window.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::OpCode;
using ir::Value;

namespace {

// Sums over the axes along which elements were repeated, then puts the axes left in order.
Value broadcast_gradient(const GradientRule& r) {
  const auto dimensions = r.attributes<ir::BroadcastAttributes>().dimensions;
  const Shape from = r.x().shape(), to = r.y().shape();
  Axes summed, kept;
  for (int axis = 0; axis < to.rank(); ++axis) {
    const auto found = std::find(dimensions.begin(), dimensions.end(), axis);
    const bool same =
        found != dimensions.end() && from[static_cast<int>(found - dimensions.begin())] == to[axis];
    if (same) {
      kept.push_back(found - dimensions.begin());
    } else {
      summed.push_back(axis);
    }
  }
  Value g = summed.empty() ? r.g() : reduce_sum(r.g(), summed);
  // kept[i] is the operand's axis that stands at i now; ranked among those left it is where i goes.
  Axes order = axes_from(0, static_cast<int64_t>(kept.size()));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return kept[static_cast<size_t>(a)] < kept[static_cast<size_t>(b)];
  });
  if (!std::is_sorted(order.begin(), order.end())) g = transpose(g, order);
  return g.shape() == from ? g : reshape(g, from);
}

void differentiate_concatenate(GradientRule& r) {
  const auto axis = static_cast<size_t>(r.attributes<ir::ConcatenateAttributes>().dimension);
  int64_t begin = 0;
  for (size_t i = 0; i < r.operands(); ++i) {
    const int64_t end = begin + r.x(i).shape()[static_cast<int>(axis)];
    if (r.needs(i)) {
      Axes start(static_cast<size_t>(r.y().rank()), 0), limit = r.y().shape().to_vector();
      start[axis] = begin;
      limit[axis] = end;
      r.grad(i, slice(r.g(), start, limit));
    }
    begin = end;
  }
}

// Takes out of a padded array what stood in it: undoes low and high padding, then the holes.
Value unpad(Value padded, const ir::PadAttributes& attributes, const Shape& inside) {
  const size_t rank = attributes.edge_padding_low.size();
  Axes start(rank), limit(rank), strides(rank), low(rank, 0), high(rank, 0);
  bool was_cut = false;
  for (size_t i = 0; i < rank; ++i) {
    // A negative padding cut elements off: they get zeros.
    low[i] = std::max<int64_t>(0, -attributes.edge_padding_low[i]);
    high[i] = std::max<int64_t>(0, -attributes.edge_padding_high[i]);
    was_cut = was_cut || low[i] != 0 || high[i] != 0;
    start[i] = std::max<int64_t>(0, attributes.edge_padding_low[i]);
    limit[i] = padded.shape()[static_cast<int>(i)] + low[i] + high[i] -
               std::max<int64_t>(0, attributes.edge_padding_high[i]);
    strides[i] = attributes.interior_padding[i] + 1;
    if (inside[static_cast<int>(i)] == 0) limit[i] = start[i];
  }
  Value g = padded;
  if (was_cut) g = pad(g, g.builder().filled(g.dtype(), Shape{}, 0.0), low, high);
  return slice(g, start, limit, strides);
}

void differentiate_pad(GradientRule& r) {
  const auto attributes = r.attributes<ir::PadAttributes>();
  const Value inside = unpad(r.g(), attributes, r.x().shape());
  r.grad(0, inside);
  // What does not stand for the operand stands for the padding value.
  if (r.needs(1)) r.grad(1, sum_of_all(r.g()) - sum_of_all(inside));
}

Value slice_gradient(const GradientRule& r) {
  const auto attributes = r.attributes<ir::SliceAttributes>();
  const Shape from = r.x().shape(), to = r.y().shape();
  const size_t rank = attributes.start_indices.size();
  Axes high(rank), interior(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int axis = static_cast<int>(i);
    const int64_t stride = attributes.strides[i];
    interior[i] = stride - 1;
    high[i] = from[axis] - attributes.start_indices[i] - dilated(to[axis], stride);
  }
  return pad(r.g(), r.builder().filled(r.g().dtype(), Shape{}, 0.0), attributes.start_indices, high,
             interior);
}

using R = const GradientRule&;

constexpr GradientRow rows[] = {
    flat(OpCode::constant),
    flat(OpCode::iota),
    flat(OpCode::partition_id),
    flat(OpCode::replica_id),

    formula(OpCode::broadcast_in_dim, broadcast_gradient),
    whole(OpCode::concatenate, differentiate_concatenate),
    whole(OpCode::dynamic_slice, differentiate_dynamic_slice),
    whole(OpCode::dynamic_update_slice, differentiate_dynamic_update_slice),
    whole(OpCode::gather, differentiate_gather),
    whole(OpCode::pad, differentiate_pad),
    formula(OpCode::reshape, [](R r) { return reshape(r.g(), r.x().shape()); }),
    formula(OpCode::reverse,
            [](R r) { return reverse(r.g(), r.attributes<ir::AxesAttributes>().axes); }),
    whole(OpCode::scatter, differentiate_scatter),
    formula(OpCode::slice, slice_gradient),
    whole(OpCode::sort, differentiate_sort),
    formula(OpCode::transpose,
            [](R r) {
              return transpose(r.g(), inverse_permutation(r.attributes<ir::AxesAttributes>().axes));
            }),
};
static_assert(covers(rows, movement_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> movement_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
