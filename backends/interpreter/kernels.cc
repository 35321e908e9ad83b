#include "backends/interpreter/kernels.h"

#include <array>

#include "systolic/ir/op_table.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::OpCode;
using enum ir::OpCode;

struct Row {
  OpCode code;
  Kernel kernel;
};

constexpr Kernel of_all_cores = nullptr;  // control and collectives: evaluator.cc, collectives.cc

constexpr std::array<Row, ir::op_count> rows{{
    {abs, run_unary},
    {cbrt, run_unary},
    {ceil, run_unary},
    {cosine, run_unary},
    {count_leading_zeros, run_unary},
    {erf, run_unary},
    {exponential, run_unary},
    {exponential_minus_one, run_unary},
    {floor, run_unary},
    {imag, run_unary},
    {is_finite, run_unary},
    {log, run_unary},
    {log_plus_one, run_unary},
    {logistic, run_unary},
    {negate, run_unary},
    {not_, run_unary},
    {popcnt, run_unary},
    {real, run_unary},
    {round_nearest_afz, run_unary},
    {round_nearest_even, run_unary},
    {rsqrt, run_unary},
    {sign, run_unary},
    {sine, run_unary},
    {sqrt, run_unary},
    {tan, run_unary},
    {tanh, run_unary},

    {add, run_binary},
    {and_, run_binary},
    {atan2, run_binary},
    {compare, run_compare},
    {complex, run_complex},
    {divide, run_binary},
    {maximum, run_binary},
    {minimum, run_binary},
    {multiply, run_binary},
    {or_, run_binary},
    {power, run_binary},
    {remainder, run_binary},
    {shift_left, run_binary},
    {shift_right_arithmetic, run_binary},
    {shift_right_logical, run_binary},
    {subtract, run_binary},
    {xor_, run_binary},

    {clamp, run_clamp},
    {select, run_select},
    {bitcast_convert, run_bitcast_convert},
    {convert, run_convert},
    {reduce_precision, run_reduce_precision},

    {constant, run_constant},
    {iota, run_iota},
    {partition_id, of_all_cores},
    {replica_id, of_all_cores},

    {broadcast_in_dim, run_broadcast_in_dim},
    {concatenate, run_concatenate},
    {dynamic_slice, run_dynamic_slice},
    {dynamic_update_slice, run_dynamic_update_slice},
    {gather, run_gather},
    {pad, run_pad},
    {reshape, run_reshape},
    {reverse, run_reverse},
    {scatter, run_scatter},
    {slice, run_slice},
    {sort, run_sort},
    {transpose, run_transpose},

    {convolution, run_convolution},
    {dot_general, run_dot_general},
    {fft, run_fft},
    {reduce, run_reduce},
    {reduce_window, run_reduce_window},
    {select_and_scatter, run_select_and_scatter},
    {rng_bit_generator, run_rng_bit_generator},

    {call, of_all_cores},
    {case_, of_all_cores},
    {custom_call, run_custom_call},
    {if_, of_all_cores},
    {optimization_barrier, of_all_cores},
    {while_, of_all_cores},

    {all_gather, of_all_cores},
    {all_reduce, of_all_cores},
    {all_to_all, of_all_cores},
    {collective_broadcast, of_all_cores},
    {collective_permute, of_all_cores},
    {reduce_scatter, of_all_cores},
}};

static_assert(ir::rows_stand_at_their_code(rows), "one row for each op, in the order of OpCode");

}  // namespace

Kernel kernel(OpCode code) { return rows[static_cast<size_t>(code)].kernel; }

}  // namespace interpreter
}  // namespace systolic::inline v0
