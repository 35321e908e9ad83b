// Gradients of dot_general; convolution has a file of its own.
#include <algorithm>

#include "systolic/autodiff/contraction.h"
#include "systolic/autodiff/formula.h"
#include "systolic/autodiff/gradient_table.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Axes;
using ir::DotAttributes;
using ir::OpCode;
using ir::Value;

namespace {

// One operand of a dot_general: which of its axes are what.
struct Side {
  Axes batching, contracting, free;
};

Side side_of(int rank, const Axes& batching, const Axes& contracting) {
  Side side{batching, contracting, {}};
  for (int64_t axis = 0; axis < rank; ++axis) {
    const bool taken = std::count(batching.begin(), batching.end(), axis) +
                           std::count(contracting.begin(), contracting.end(), axis) >
                       0;
    if (!taken) side.free.push_back(axis);
  }
  return side;
}

Axes counted_from(size_t first, size_t count) {
  Axes axes(count);
  for (size_t i = 0; i < count; ++i) axes[i] = static_cast<int64_t>(first + i);
  return axes;
}

// The axes of `mine` that are contracted with the other operand's, as these stand in the result:
// in the order of the other's axes.
Axes contracted_in_order_of(const Side& other, const Side& mine) {
  Axes order = counted_from(0, other.contracting.size());
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return other.contracting[static_cast<size_t>(a)] < other.contracting[static_cast<size_t>(b)];
  });
  Axes axes;
  for (int64_t i : order) axes.push_back(mine.contracting[static_cast<size_t>(i)]);
  return axes;
}

// `standing[i]` is the axis that stands at place i: puts each at its place.
Value arranged(Value x, const Axes& standing) {
  Axes permutation(standing.size());
  for (size_t i = 0; i < standing.size(); ++i) {
    permutation[static_cast<size_t>(standing[i])] = static_cast<int64_t>(i);
  }
  return std::is_sorted(permutation.begin(), permutation.end()) ? x : transpose(x, permutation);
}

void append(Axes& axes, const Axes& more) { axes.insert(axes.end(), more.begin(), more.end()); }

// dL/dlhs sums dL/dy * rhs over the free axes of rhs; dL/drhs likewise, with the operands so placed
// that for two matrices nothing needs a transpose: dx = g w', dw = x' g.
Value operand_gradient(const Rule& r, size_t i, Value g) {
  const auto a = r.attributes<DotAttributes>();
  const Side lhs = side_of(r.x(0).rank(), a.lhs_batching_dimensions, a.lhs_contracting_dimensions);
  const Side rhs = side_of(r.x(1).rank(), a.rhs_batching_dimensions, a.rhs_contracting_dimensions);
  const Side& mine = i == 0 ? lhs : rhs;
  const Side& other = i == 0 ? rhs : lhs;
  // g stands as batching, free of lhs, free of rhs.
  const size_t batches = lhs.batching.size(), lhs_free = lhs.free.size();
  const Axes g_batching = counted_from(0, batches);
  const Axes g_other =
      i == 0 ? counted_from(batches + lhs_free, rhs.free.size()) : counted_from(batches, lhs_free);
  const Value factor = conjugate(r.x(1 - i));
  const DType dtype = r.x(i).dtype();
  Axes standing = mine.batching;
  Value result;
  if (i == 0) {
    result = dot_general(g, factor, {g_batching, other.batching, g_other, other.free, a.precision},
                         dtype);
    append(standing, mine.free);
    append(standing, contracted_in_order_of(other, mine));
  } else {
    result = dot_general(factor, g, {other.batching, g_batching, other.free, g_other, a.precision},
                         dtype);
    append(standing, contracted_in_order_of(other, mine));
    append(standing, mine.free);
  }
  return arranged(result, standing);
}

void differentiate_dot_general(Rule& r) {
  const DType dtype = r.x().dtype();
  const Value g = r.g().dtype() == dtype ? r.g() : convert(r.g(), dtype);
  for (size_t i : {0, 1}) {
    if (r.needs(i)) r.grad(i, operand_gradient(r, i, g));
  }
}

constexpr GradientRow rows[] = {
    whole(OpCode::convolution, differentiate_convolution),
    whole(OpCode::dot_general, differentiate_dot_general).also_complex(),
};
static_assert(covers(rows, contraction_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> contraction_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
