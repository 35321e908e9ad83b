// The ops of StableHLO (its specification, "Ops") and what all layers need to know about each.
//
// Every layer has a table of its own, indexed by OpCode: shape rule here in ir, kernel in
// backends/interpreter, lowering in backends/cpu, gradient in autodiff, stacking and cutting in
// passes. docs/add_an_op.md is the checklist.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systolic::inline v0 {
namespace ir {

enum class OpCode : uint8_t {
  // Elementwise, one operand.
  abs,
  cbrt,
  ceil,
  cosine,
  count_leading_zeros,
  erf,
  exponential,
  exponential_minus_one,
  floor,
  imag,
  is_finite,
  log,
  log_plus_one,
  logistic,
  negate,
  not_,
  popcnt,
  real,
  round_nearest_afz,
  round_nearest_even,
  rsqrt,
  sign,
  sine,
  sqrt,
  tan,
  tanh,
  // Elementwise, two operands.
  add,
  and_,
  atan2,
  compare,
  complex,
  divide,
  maximum,
  minimum,
  multiply,
  or_,
  power,
  remainder,
  shift_left,
  shift_right_arithmetic,
  shift_right_logical,
  subtract,
  xor_,
  // Elementwise, three operands.
  clamp,
  select,
  // Elementwise, with another result type.
  bitcast_convert,
  convert,
  reduce_precision,
  // No operands.
  constant,
  iota,
  partition_id,
  replica_id,
  // Data movement.
  broadcast_in_dim,
  concatenate,
  dynamic_slice,
  dynamic_update_slice,
  gather,
  pad,
  reshape,
  reverse,
  scatter,
  slice,
  sort,
  transpose,
  // Contractions and windows.
  convolution,
  dot_general,
  fft,
  reduce,
  reduce_window,
  select_and_scatter,
  // Random bits.
  rng_bit_generator,
  // Control.
  call,
  case_,
  custom_call,
  if_,
  optimization_barrier,
  while_,
  // Between cores.
  all_gather,
  all_reduce,
  all_to_all,
  collective_broadcast,
  collective_permute,
  reduce_scatter,
};
inline constexpr int op_count = static_cast<int>(OpCode::reduce_scatter) + 1;

// What a pass or a lowering may assume without knowing the op.
enum class OpFamily : uint8_t {
  unary,        // result has the operand's shape, element by element
  binary,       // two operands of one shape, element by element
  ternary,      // clamp, select: element by element; some operands may be scalars
  conversion,   // element by element into another type (bitcast_convert may add or drop the last
                // axis)
  source,       // no operands
  movement,     // moves elements, computes nothing
  contraction,  // dot_general, convolution, fft
  reduction,    // folds a region over axes or windows
  random,
  control,  // holds regions that run as a whole, or calls a function
  collective,
};

// Which attribute struct of attributes.h the op carries; `none` for std::monostate.
enum class AttributeKind : uint8_t {
  none,
  compare,
  constant,
  iota,
  reduce_precision,
  broadcast,
  concatenate,
  dynamic_slice,
  gather,
  pad,
  axes,
  scatter,
  slice,
  sort,
  convolution,
  dot,
  fft,
  window,
  rng,
  call,
  custom_call,
  collective,
  permute,
  gather_cores,
  all_to_all,
};

struct OpInfo {
  OpCode code;
  std::string_view name;  // "dot_general": as in stablehlo.dot_general
  OpFamily family;
  int operands;  // -1: any number, at least one unless the op is control or source
  int regions;   // -1: any number, at least one
  AttributeKind attributes;
};

// The row of an op.
const OpInfo& info(OpCode code);

inline bool is_elementwise(OpCode code) {
  const OpFamily family = info(code).family;
  return family == OpFamily::unary || family == OpFamily::binary || family == OpFamily::ternary ||
         code == OpCode::convert || code == OpCode::reduce_precision;
}

}  // namespace ir
}  // namespace systolic::inline v0
