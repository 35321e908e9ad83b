// Gradients of dot_general; convolution has a file of its own.
#include "systolic/autodiff/rules/contraction.h"

#include <algorithm>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/core/axes.h"

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
  return {batching, contracting, remaining_axes(rank, joined_axes(batching, contracting))};
}

// The axes of `mine` that are contracted with the other operand's, as they appear in the result:
// in the order of the other's axes.
Axes contracted_in_order_of(const Side& other, const Side& mine) {
  Axes order = axes_from(0, ssize(other.contracting));
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return other.contracting[static_cast<size_t>(a)] < other.contracting[static_cast<size_t>(b)];
  });
  Axes axes;
  for (int64_t i : order) axes.push_back(mine.contracting[static_cast<size_t>(i)]);
  return axes;
}

// `standing[i]` is the axis at place i: moves each to its own place.
Value arranged(Value x, const Axes& standing) {
  const Axes permutation = inverse_permutation(standing);
  return std::is_sorted(permutation.begin(), permutation.end()) ? x : transpose(x, permutation);
}

void append(Axes& axes, const Axes& more) { axes.insert(axes.end(), more.begin(), more.end()); }

// dL/dlhs sums dL/dy * rhs over the free axes of rhs; dL/drhs likewise, with the operands so placed
// that for two matrices nothing needs a transpose: dx = g w', dw = x' g.
Value operand_gradient(const GradientRule& r, size_t i, Value g) {
  const auto a = r.attributes<DotAttributes>();
  const Side lhs = side_of(r.x(0).rank(), a.lhs_batching_dimensions, a.lhs_contracting_dimensions);
  const Side rhs = side_of(r.x(1).rank(), a.rhs_batching_dimensions, a.rhs_contracting_dimensions);
  const Side& mine = i == 0 ? lhs : rhs;
  const Side& other = i == 0 ? rhs : lhs;
  // g stands as batching, free of lhs, free of rhs.
  const int64_t batches = ssize(lhs.batching), lhs_free = ssize(lhs.free);
  const Axes g_batching = axes_from(0, batches);
  const Axes g_other =
      i == 0 ? axes_from(batches + lhs_free, ssize(rhs.free)) : axes_from(batches, lhs_free);
  const Value factor = conjugate(r.x(1 - i));
  const DType dtype = r.x(i).dtype();
  Axes standing = mine.batching;
  Value result;
  if (i == 0) {
    result = dot_general(
        g, factor, {g_batching, other.batching, g_other, other.free, a.precision, true}, dtype);
    append(standing, mine.free);
    append(standing, contracted_in_order_of(other, mine));
  } else {
    result = dot_general(
        factor, g, {other.batching, g_batching, other.free, g_other, a.precision, true}, dtype);
    append(standing, contracted_in_order_of(other, mine));
    append(standing, mine.free);
  }
  return arranged(result, standing);
}

void differentiate_dot_general(GradientRule& r) {
  const DType dtype = r.x().dtype();
  const Value g = r.g().dtype() == dtype ? r.g() : convert(r.g(), dtype);
  for (size_t i : {0, 1}) {
    if (r.needs(i)) r.grad(i, operand_gradient(r, i, g));
  }
}

constexpr GradientRow rows[] = {
    whole(OpCode::convolution, differentiate_convolution),
    whole(OpCode::dot_general, differentiate_dot_general).also_complex(),
    none(OpCode::fft, "no layer of the library has a Fourier transform"),
};
static_assert(covers(rows, contraction_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> contraction_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
