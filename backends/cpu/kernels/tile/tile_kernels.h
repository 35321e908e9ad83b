// The kernels that tile programs call: one function per op and type, run over a tile of elements in
// slots.
#pragma once

#include <cstdint>
#include <string>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

inline constexpr int most_tile_operands = 8;

// One instruction's operands. `count` is a multiple of 16; slots hold at least so many elements.
// The result may be one of the operands.
struct TileCall {
  const void* operands[most_tile_operands];
  void* result;
  void* also[2];  // further results, where the code has some
  int64_t count;
  // reduce_precision: exponent and mantissa bits; round_to: the DType; rotate_left: by how many
  // bits; polynomial: where its coefficients begin, and how many they are; gelu_gradient: where its
  // numbers begin; adam: whether a, b, s and e are the same in all elements, of which the slots
  // then hold 16.
  int parameters[2];
  const float* table;  // of the program: coefficients, the highest power first, and other numbers
};
using TileKernel = void (*)(const TileCall&);

// What an instruction does: the public ops and the ones that the builder and the peephole add.
enum class TileCode : uint16_t {
  // 0 .. tile_op_count - 1 are the TileOps.
  compare = tile_op_count,      // + CompareDirection
  compare_total = compare + 6,  // + CompareDirection
  compare_select =
      compare_total + 6,         // + CompareDirection: (a, b, c, d) -> a ? b : if then c else d
  convert = compare_select + 6,  // kernel by find_convert
  bitcast,                       // copies
  reduce_precision,
  round_to,                  // to the small float of parameters[0] and back
  lerp,                      // a + (b - a) c
  square_lerp,               // a + (b b - a) c
  subtract_multiply_divide,  // a - b c / d
  subtract_divide_root,      // a - b c / (sqrt(d) + e)
  // (m, g, a, v, b, p, s, e) -> p - m' s / (sqrt(v') + e), and also m' = m + (g - m) a and
  // v' = v + (g g - v) b: Kingma and Ba, "Adam", 2014.
  adam,
  sqrt_add,      // sqrt(a) + b
  multiply_erf,  // erf(a b)
  gelu,          // 0.5 a (1 + erf(a b)): Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016
  add_gelu,      // (a, b, c): the same of a + b and c
  // (a, x): what gelu's gradient makes of a, that of its result, and of its argument:
  // a (p (1 + erf(x c)) + q x exp(-(x c)^2)), for GeluNumbers c, p and q; rounded and overflowing
  // in this order.
  gelu_gradient,
  select_product,  // (m, a, b, c) -> if m then a b else c
  // (w, t, a, b, c) -> if w >= t then a b else c, and also whether w >= t: dropout, by random bits
  // w and a limit t, which are u32.
  keep_product,
  square,        // a a
  polynomial,    // of a, by Horner's rule; f32
  rotate_left,   // the bits of a u32 or u64
  within,        // (a, b, c): b <= a and a <= c; i32
  from_the_end,  // (a, b): a + b if a < 0, else a; i32
  pair,          // + PairInner * pair_outer_count + PairOuter: outer(inner(a, b), c)
};
enum class PairInner : uint8_t { add, subtract, multiply, divide };
// subtract_from and divide_into have the inner result on the right: c - inner, c / inner.
enum class PairOuter : uint8_t {
  add,
  subtract,
  subtract_from,
  multiply,
  divide,
  divide_into,
  maximum,
  minimum
};
inline constexpr int pair_inner_count = 4;
inline constexpr int pair_outer_count = 8;

constexpr TileCode code_of(TileOp op) { return static_cast<TileCode>(op); }
constexpr TileCode operator+(TileCode base, int offset) {
  return static_cast<TileCode>(static_cast<int>(base) + offset);
}
constexpr TileCode code_of(PairInner inner, PairOuter outer) {
  return TileCode::pair + (static_cast<int>(inner) * pair_outer_count + static_cast<int>(outer));
}
inline constexpr int tile_code_count =
    static_cast<int>(TileCode::pair) + pair_inner_count * pair_outer_count;

// Where a program's table has the numbers of gelu_gradient, from TileCall's parameters[0] on.
enum GeluNumber : int { gelu_c, gelu_p, gelu_q, gelu_number_count };

// The kernel of `code` on operands of a compute type; null when there is none. For select and
// compare_select, `type` is that of the selected values (compare_select: f32 or i32 throughout).
TileKernel find_kernel(TileCode code, DType type);
TileKernel find_convert(DType from, DType to);

// The parts of find_kernel: vector kernels for f32, some of i32 and u32, plain loops for the rest.
TileKernel find_f32_kernel(TileCode code);
TileKernel find_i32_kernel(TileCode code);
TileKernel find_u32_kernel(TileCode code);
TileKernel find_plain_kernel(TileCode code, DType type);

// "add", "compare_gt", "multiply_add", ...
std::string name_of(TileCode code);

}  // namespace kernels
}  // namespace systolic::inline v0
