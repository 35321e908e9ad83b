// Factors of elementwise ops, movement and folds; products and lookups have files of their own.
#include "systolic/passes/partition/factors.h"

#include <algorithm>
#include <array>

#include "systolic/ir/op_table.h"
#include "systolic/ir/region.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;
using ir::OpCode;

void FactorList::pass(std::vector<int> operands, int result) {
  operands.resize(op_.operands.size(), no_cut);
  std::vector<int> results(op_.results.size(), result);
  factors_.push_back({std::move(operands), std::move(results)});
}

void FactorList::fold(std::vector<int> operands) {
  operands.resize(op_.operands.size(), no_cut);
  factors_.push_back({std::move(operands), std::vector<int>(op_.results.size(), no_cut), true});
}

void FactorList::pass_in_all(int axis) {
  const int rank = result().rank();
  Factor factor;
  for (size_t i = 0; i < operands(); ++i) {
    factor.operands.push_back(operand(i).rank() == rank ? axis : no_cut);
  }
  factor.results.assign(op_.results.size(), axis);
  factors_.push_back(std::move(factor));
}

namespace {

bool names(const Axes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// All axes but those of which `is_mixed` says that the op mixes them.
template <class IsMixed>
void pass_all_but(FactorList& factors, const IsMixed& is_mixed) {
  for (int axis = 0; axis < factors.result().rank(); ++axis) {
    if (!is_mixed(axis)) factors.pass_in_all(axis);
  }
}

void elementwise_factors(FactorList& factors) {
  pass_all_but(factors, [](int) { return false; });
}

// Where the bytes of an element become an axis, that one stays whole.
void bitcast_convert_factors(FactorList& factors) {
  const int rank = std::min(factors.operand(0).rank(), factors.result().rank());
  for (int axis = 0; axis < rank; ++axis) factors.pass({axis}, axis);
}

void broadcast_in_dim_factors(FactorList& factors) {
  const Axes& to = factors.op().get<ir::BroadcastAttributes>().dimensions;
  for (int axis = 0; axis < factors.operand(0).rank(); ++axis) {
    const auto result = static_cast<int>(to[static_cast<size_t>(axis)]);
    if (factors.operand(0)[axis] == factors.result()[result]) factors.pass({axis}, result);
  }
}

void concatenate_factors(FactorList& factors) {
  const int64_t along = factors.op().get<ir::ConcatenateAttributes>().dimension;
  pass_all_but(factors, [&](int axis) { return axis == along; });
}

void pad_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::PadAttributes>();
  pass_all_but(factors, [&](int axis) {
    const auto i = static_cast<size_t>(axis);
    return a.edge_padding_low[i] != 0 || a.edge_padding_high[i] != 0 || a.interior_padding[i] != 0;
  });
}

// What is cut in both groups of axes with as many elements passes from the first axis of one to the
// first of the other: [a * b, c] and [a, b, c].
void reshape_factors(FactorList& factors) {
  const Shape &from = factors.operand(0), &to = factors.result();
  if (from.elements() == 0) return;
  int i = 0, j = 0;
  while (i < from.rank() && j < to.rank()) {
    if (from[i] == 1 && to[j] != 1) {
      ++i;
      continue;
    }
    if (to[j] == 1 && from[i] != 1) {
      ++j;
      continue;
    }
    const int first_from = i, first_to = j;
    int64_t elements = from[i++], others = to[j++];
    while (elements != others) {
      if (elements < others) {
        elements *= from[i++];
      } else {
        others *= to[j++];
      }
    }
    factors.pass({first_from}, first_to);
  }
}

void reverse_factors(FactorList& factors) {
  const Axes& axes = factors.op().get<ir::AxesAttributes>().axes;
  pass_all_but(factors, [&](int axis) { return names(axes, axis); });
}

void slice_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::SliceAttributes>();
  pass_all_but(factors, [&](int axis) {
    const auto i = static_cast<size_t>(axis);
    return a.strides[i] != 1 || factors.result()[axis] != factors.operand(0)[axis];
  });
}

// The starts are scalars, and stay whole.
void dynamic_slice_factors(FactorList& factors) {
  for (int axis = 0; axis < factors.result().rank(); ++axis) {
    if (factors.result()[axis] == factors.operand(0)[axis]) factors.pass({axis}, axis);
  }
}

void dynamic_update_slice_factors(FactorList& factors) {
  for (int axis = 0; axis < factors.result().rank(); ++axis) {
    if (factors.operand(1)[axis] == factors.operand(0)[axis]) factors.pass({axis, axis}, axis);
  }
}

void sort_factors(FactorList& factors) {
  int64_t sorted = factors.op().get<ir::SortAttributes>().dimension;
  if (sorted < 0) sorted += factors.result().rank();
  pass_all_but(factors, [&](int axis) { return axis == sorted; });
}

void transpose_factors(FactorList& factors) {
  const Axes& from = factors.op().get<ir::AxesAttributes>().axes;
  for (size_t i = 0; i < from.size(); ++i) {
    factors.pass({static_cast<int>(from[i])}, static_cast<int>(i));
  }
}

void fft_factors(FactorList& factors) {
  const auto transformed =
      static_cast<int>(factors.op().get<ir::FftAttributes>().fft_length.size());
  const int rank = factors.result().rank();
  pass_all_but(factors, [&](int axis) { return axis >= rank - transformed; });
}

// The array alone: what a fold begins with is a scalar.
void reduce_factors(FactorList& factors) {
  const Axes& gone = factors.op().get<ir::AxesAttributes>().axes;
  const size_t arrays = factors.operands() / 2;
  const bool adds_up = arrays == 1 && ir::fold_op(factors.op().regions[0]).has_value();
  int kept = 0;
  for (int axis = 0; axis < factors.operand(0).rank(); ++axis) {
    if (!names(gone, axis)) {
      factors.pass(std::vector<int>(arrays, axis), kept++);
    } else if (adds_up) {
      factors.fold({axis});
    }
  }
}

bool is_mixed_by_windows(const ir::WindowAttributes& attributes, int axis) {
  const WindowAxis window = ir::window_axis(attributes, static_cast<size_t>(axis));
  return window.window != 1 || window.stride != 1 || window.base_dilation != 1 ||
         window.padding_low != 0 || window.padding_high != 0;
}

void windows_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::WindowAttributes>();
  pass_all_but(factors, [&](int axis) { return is_mixed_by_windows(a, axis); });
}

void no_factors(FactorList&) {}

using enum ir::OpCode;

struct FactorRow {
  OpCode code;
  void (*find)(FactorList&);
};

constexpr std::array<FactorRow, ir::op_count> rows{{
    {abs, elementwise_factors},
    {cbrt, elementwise_factors},
    {ceil, elementwise_factors},
    {cosine, elementwise_factors},
    {count_leading_zeros, elementwise_factors},
    {erf, elementwise_factors},
    {exponential, elementwise_factors},
    {exponential_minus_one, elementwise_factors},
    {floor, elementwise_factors},
    {imag, elementwise_factors},
    {is_finite, elementwise_factors},
    {log, elementwise_factors},
    {log_plus_one, elementwise_factors},
    {logistic, elementwise_factors},
    {negate, elementwise_factors},
    {not_, elementwise_factors},
    {popcnt, elementwise_factors},
    {real, elementwise_factors},
    {round_nearest_afz, elementwise_factors},
    {round_nearest_even, elementwise_factors},
    {rsqrt, elementwise_factors},
    {sign, elementwise_factors},
    {sine, elementwise_factors},
    {sqrt, elementwise_factors},
    {tan, elementwise_factors},
    {tanh, elementwise_factors},

    {add, elementwise_factors},
    {and_, elementwise_factors},
    {atan2, elementwise_factors},
    {compare, elementwise_factors},
    {complex, elementwise_factors},
    {divide, elementwise_factors},
    {maximum, elementwise_factors},
    {minimum, elementwise_factors},
    {multiply, elementwise_factors},
    {or_, elementwise_factors},
    {power, elementwise_factors},
    {remainder, elementwise_factors},
    {shift_left, elementwise_factors},
    {shift_right_arithmetic, elementwise_factors},
    {shift_right_logical, elementwise_factors},
    {subtract, elementwise_factors},
    {xor_, elementwise_factors},

    {clamp, elementwise_factors},
    {select, elementwise_factors},
    {bitcast_convert, bitcast_convert_factors},
    {convert, elementwise_factors},
    {reduce_precision, elementwise_factors},

    {constant, no_factors},  // whole, and cut where it is used
    {iota, no_factors},
    {partition_id, no_factors},
    {replica_id, no_factors},

    {broadcast_in_dim, broadcast_in_dim_factors},
    {concatenate, concatenate_factors},
    {dynamic_slice, dynamic_slice_factors},
    {dynamic_update_slice, dynamic_update_slice_factors},
    {gather, gather_factors},
    {pad, pad_factors},
    {reshape, reshape_factors},
    {reverse, reverse_factors},
    {scatter, scatter_factors},
    {slice, slice_factors},
    {sort, sort_factors},
    {transpose, transpose_factors},

    {convolution, convolution_factors},
    {dot_general, dot_factors},
    {fft, fft_factors},
    {reduce, reduce_factors},
    {reduce_window, windows_factors},
    {select_and_scatter, windows_factors},
    {rng_bit_generator, no_factors},

    {call, no_factors},  // inlined before
    {case_, no_factors},
    {custom_call, no_factors},
    {if_, no_factors},
    {optimization_barrier, no_factors},
    {while_, no_factors},

    {all_gather, no_factors},
    {all_reduce, no_factors},
    {all_to_all, no_factors},
    {collective_broadcast, no_factors},
    {collective_permute, no_factors},
    {reduce_scatter, no_factors},
}};

static_assert(ir::rows_stand_at_their_code(rows), "one row for each op, in the order of OpCode");

}  // namespace

std::vector<Factor> factors_of(const ir::Function& function, const ir::Op& op) {
  FactorList factors(function, op);
  rows[static_cast<size_t>(op.code)].find(factors);
  return factors.take();
}

}  // namespace passes
}  // namespace systolic::inline v0
