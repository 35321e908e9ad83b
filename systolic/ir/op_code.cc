#include "systolic/ir/op_code.h"

#include "systolic/ir/op_table.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

constexpr OpInfo unary(OpCode code, std::string_view name) {
  return {code, name, OpFamily::unary, 1, 0, AttributeKind::none};
}
constexpr OpInfo binary(OpCode code, std::string_view name) {
  return {code, name, OpFamily::binary, 2, 0, AttributeKind::none};
}

using enum OpCode;
using K = AttributeKind;

constexpr std::array<OpInfo, op_count> op_table{{
    unary(abs, "abs"),
    unary(cbrt, "cbrt"),
    unary(ceil, "ceil"),
    unary(cosine, "cosine"),
    unary(count_leading_zeros, "count_leading_zeros"),
    unary(erf, "erf"),
    unary(exponential, "exponential"),
    unary(exponential_minus_one, "exponential_minus_one"),
    unary(floor, "floor"),
    unary(imag, "imag"),
    unary(is_finite, "is_finite"),
    unary(log, "log"),
    unary(log_plus_one, "log_plus_one"),
    unary(logistic, "logistic"),
    unary(negate, "negate"),
    unary(not_, "not"),
    unary(popcnt, "popcnt"),
    unary(real, "real"),
    unary(round_nearest_afz, "round_nearest_afz"),
    unary(round_nearest_even, "round_nearest_even"),
    unary(rsqrt, "rsqrt"),
    unary(sign, "sign"),
    unary(sine, "sine"),
    unary(sqrt, "sqrt"),
    unary(tan, "tan"),
    unary(tanh, "tanh"),

    binary(add, "add"),
    binary(and_, "and"),
    binary(atan2, "atan2"),
    {compare, "compare", OpFamily::binary, 2, 0, K::compare},
    binary(complex, "complex"),
    binary(divide, "divide"),
    binary(maximum, "maximum"),
    binary(minimum, "minimum"),
    binary(multiply, "multiply"),
    binary(or_, "or"),
    binary(power, "power"),
    binary(remainder, "remainder"),
    binary(shift_left, "shift_left"),
    binary(shift_right_arithmetic, "shift_right_arithmetic"),
    binary(shift_right_logical, "shift_right_logical"),
    binary(subtract, "subtract"),
    binary(xor_, "xor"),

    {clamp, "clamp", OpFamily::ternary, 3, 0, K::none},
    {select, "select", OpFamily::ternary, 3, 0, K::none},

    {bitcast_convert, "bitcast_convert", OpFamily::conversion, 1, 0, K::none},
    {convert, "convert", OpFamily::conversion, 1, 0, K::none},
    {reduce_precision, "reduce_precision", OpFamily::conversion, 1, 0, K::reduce_precision},

    {constant, "constant", OpFamily::source, 0, 0, K::constant},
    {iota, "iota", OpFamily::source, 0, 0, K::iota},
    {partition_id, "partition_id", OpFamily::source, 0, 0, K::none},
    {replica_id, "replica_id", OpFamily::source, 0, 0, K::none},

    {broadcast_in_dim, "broadcast_in_dim", OpFamily::movement, 1, 0, K::broadcast},
    {concatenate, "concatenate", OpFamily::movement, -1, 0, K::concatenate},
    {dynamic_slice, "dynamic_slice", OpFamily::movement, -1, 0, K::dynamic_slice},
    {dynamic_update_slice, "dynamic_update_slice", OpFamily::movement, -1, 0, K::none},
    {gather, "gather", OpFamily::movement, 2, 0, K::gather},
    {pad, "pad", OpFamily::movement, 2, 0, K::pad},
    {reshape, "reshape", OpFamily::movement, 1, 0, K::none},
    {reverse, "reverse", OpFamily::movement, 1, 0, K::axes},
    {scatter, "scatter", OpFamily::movement, -1, 1, K::scatter},
    {slice, "slice", OpFamily::movement, 1, 0, K::slice},
    {sort, "sort", OpFamily::movement, -1, 1, K::sort},
    {transpose, "transpose", OpFamily::movement, 1, 0, K::axes},

    {convolution, "convolution", OpFamily::contraction, 2, 0, K::convolution},
    {dot_general, "dot_general", OpFamily::contraction, 2, 0, K::dot},
    {fft, "fft", OpFamily::contraction, 1, 0, K::fft},
    {reduce, "reduce", OpFamily::reduction, -1, 1, K::axes},
    {reduce_window, "reduce_window", OpFamily::reduction, -1, 1, K::window},
    {select_and_scatter, "select_and_scatter", OpFamily::reduction, 3, 2, K::window},

    {rng_bit_generator, "rng_bit_generator", OpFamily::random, 1, 0, K::rng},

    {call, "call", OpFamily::control, -1, 0, K::call},
    {case_, "case", OpFamily::control, 1, -1, K::none},
    {custom_call, "custom_call", OpFamily::control, -1, 0, K::custom_call},
    {if_, "if", OpFamily::control, 1, 2, K::none},
    {optimization_barrier, "optimization_barrier", OpFamily::control, -1, 0, K::none},
    {while_, "while", OpFamily::control, -1, 2, K::none},

    {all_gather, "all_gather", OpFamily::collective, -1, 0, K::gather_cores},
    {all_reduce, "all_reduce", OpFamily::collective, -1, 1, K::collective},
    {all_to_all, "all_to_all", OpFamily::collective, -1, 0, K::all_to_all},
    {collective_broadcast, "collective_broadcast", OpFamily::collective, 1, 0, K::collective},
    {collective_permute, "collective_permute", OpFamily::collective, 1, 0, K::permute},
    {reduce_scatter, "reduce_scatter", OpFamily::collective, 1, 1, K::gather_cores},
}};

static_assert(rows_stand_at_their_code(op_table), "one row for each op, in the order of OpCode");

}  // namespace

const OpInfo& info(OpCode code) { return op_table[static_cast<size_t>(code)]; }

}  // namespace ir
}  // namespace systolic::inline v0
