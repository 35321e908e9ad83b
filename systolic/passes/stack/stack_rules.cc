// The table of rules of stack_cores, indexed by OpCode.
#include <array>

#include "systolic/ir/op_table.h"
#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::OpCode;

namespace {

using enum ir::OpCode;

struct Row {
  OpCode code;
  StackRule rule;
};

constexpr std::array<Row, ir::op_count> rules{{
    {abs, stack_elementwise},
    {cbrt, stack_elementwise},
    {ceil, stack_elementwise},
    {cosine, stack_elementwise},
    {count_leading_zeros, stack_elementwise},
    {erf, stack_elementwise},
    {exponential, stack_elementwise},
    {exponential_minus_one, stack_elementwise},
    {floor, stack_elementwise},
    {imag, stack_elementwise},
    {is_finite, stack_elementwise},
    {log, stack_elementwise},
    {log_plus_one, stack_elementwise},
    {logistic, stack_elementwise},
    {negate, stack_elementwise},
    {not_, stack_elementwise},
    {popcnt, stack_elementwise},
    {real, stack_elementwise},
    {round_nearest_afz, stack_elementwise},
    {round_nearest_even, stack_elementwise},
    {rsqrt, stack_elementwise},
    {sign, stack_elementwise},
    {sine, stack_elementwise},
    {sqrt, stack_elementwise},
    {tan, stack_elementwise},
    {tanh, stack_elementwise},

    {add, stack_elementwise},
    {and_, stack_elementwise},
    {atan2, stack_elementwise},
    {compare, stack_elementwise},
    {complex, stack_elementwise},
    {divide, stack_elementwise},
    {maximum, stack_elementwise},
    {minimum, stack_elementwise},
    {multiply, stack_elementwise},
    {or_, stack_elementwise},
    {power, stack_elementwise},
    {remainder, stack_elementwise},
    {shift_left, stack_elementwise},
    {shift_right_arithmetic, stack_elementwise},
    {shift_right_logical, stack_elementwise},
    {subtract, stack_elementwise},
    {xor_, stack_elementwise},

    {clamp, stack_elementwise},
    {select, stack_elementwise},
    {bitcast_convert, stack_elementwise},
    {convert, stack_elementwise},
    {reduce_precision, stack_elementwise},

    {constant, nullptr},  // always uniform
    {iota, nullptr},
    {partition_id, stack_partition_id},
    {replica_id, stack_replica_id},

    {broadcast_in_dim, stack_broadcast_in_dim},
    {concatenate, stack_concatenate},
    {dynamic_slice, stack_dynamic_slice},
    {dynamic_update_slice, stack_dynamic_update_slice},
    {gather, stack_gather},
    {pad, stack_pad},
    {reshape, stack_reshape},
    {reverse, stack_axes},
    {scatter, stack_scatter},
    {slice, stack_slice},
    {sort, stack_sort},
    {transpose, stack_axes},

    {convolution, stack_convolution},
    {dot_general, stack_dot_general},
    {fft, stack_elementwise},  // over the last axes
    {reduce, stack_reduce},
    {reduce_window, stack_window},
    {select_and_scatter, stack_window},
    {rng_bit_generator, stack_unrolled},

    {call, nullptr},  // inlined before
    {case_, stack_branches},
    {custom_call, stack_custom_call},
    {if_, stack_branches},
    {optimization_barrier, stack_optimization_barrier},
    {while_, stack_while},

    {all_gather, stack_collective},
    {all_reduce, stack_collective},
    {all_to_all, stack_collective},
    {collective_broadcast, stack_collective},
    {collective_permute, stack_collective_permute},
    {reduce_scatter, stack_collective},
}};

static_assert(ir::rows_stand_at_their_code(rules), "one row for each op, in the order of OpCode");

}  // namespace

StackRule stack_rule(OpCode code) { return rules[static_cast<size_t>(code)].rule; }

}  // namespace passes
}  // namespace systolic::inline v0
