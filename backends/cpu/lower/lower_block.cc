#include "backends/cpu/lower/lower_block.h"

#include <algorithm>
#include <array>
#include <vector>

#include "backends/cpu/fuse/early_updates.h"
#include "backends/cpu/fuse/group.h"
#include "backends/cpu/lower/families.h"
#include "backends/cpu/lower/lower_group.h"
#include "systolic/ir/op_table.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

struct Row {
  ir::OpCode code;
  Lowering lowering;
};

// In the order of OpCode.
// clang-format off
constexpr std::array<Row, ir::op_count> rows = {{
    {ir::OpCode::abs, lower_elementwise},
    {ir::OpCode::cbrt, lower_elementwise},
    {ir::OpCode::ceil, lower_elementwise},
    {ir::OpCode::cosine, lower_elementwise},
    {ir::OpCode::count_leading_zeros, lower_elementwise},
    {ir::OpCode::erf, lower_elementwise},
    {ir::OpCode::exponential, lower_elementwise},
    {ir::OpCode::exponential_minus_one, lower_elementwise},
    {ir::OpCode::floor, lower_elementwise},
    {ir::OpCode::imag, lower_elementwise},
    {ir::OpCode::is_finite, lower_elementwise},
    {ir::OpCode::log, lower_elementwise},
    {ir::OpCode::log_plus_one, lower_elementwise},
    {ir::OpCode::logistic, lower_elementwise},
    {ir::OpCode::negate, lower_elementwise},
    {ir::OpCode::not_, lower_elementwise},
    {ir::OpCode::popcnt, lower_elementwise},
    {ir::OpCode::real, lower_elementwise},
    {ir::OpCode::round_nearest_afz, lower_elementwise},
    {ir::OpCode::round_nearest_even, lower_elementwise},
    {ir::OpCode::rsqrt, lower_elementwise},
    {ir::OpCode::sign, lower_elementwise},
    {ir::OpCode::sine, lower_elementwise},
    {ir::OpCode::sqrt, lower_elementwise},
    {ir::OpCode::tan, lower_elementwise},
    {ir::OpCode::tanh, lower_elementwise},
    {ir::OpCode::add, lower_elementwise},
    {ir::OpCode::and_, lower_elementwise},
    {ir::OpCode::atan2, lower_elementwise},
    {ir::OpCode::compare, lower_elementwise},
    {ir::OpCode::complex, lower_elementwise},
    {ir::OpCode::divide, lower_elementwise},
    {ir::OpCode::maximum, lower_elementwise},
    {ir::OpCode::minimum, lower_elementwise},
    {ir::OpCode::multiply, lower_elementwise},
    {ir::OpCode::or_, lower_elementwise},
    {ir::OpCode::power, lower_elementwise},
    {ir::OpCode::remainder, lower_elementwise},
    {ir::OpCode::shift_left, lower_elementwise},
    {ir::OpCode::shift_right_arithmetic, lower_elementwise},
    {ir::OpCode::shift_right_logical, lower_elementwise},
    {ir::OpCode::subtract, lower_elementwise},
    {ir::OpCode::xor_, lower_elementwise},
    {ir::OpCode::clamp, lower_elementwise},
    {ir::OpCode::select, lower_elementwise},
    {ir::OpCode::bitcast_convert, lower_bitcast},
    {ir::OpCode::convert, lower_elementwise},
    {ir::OpCode::reduce_precision, lower_elementwise},
    {ir::OpCode::constant, lower_view},
    {ir::OpCode::iota, lower_elementwise},
    {ir::OpCode::partition_id, lower_core_id},
    {ir::OpCode::replica_id, lower_core_id},
    {ir::OpCode::broadcast_in_dim, lower_view},
    {ir::OpCode::concatenate, lower_concatenate},
    {ir::OpCode::dynamic_slice, lower_dynamic_slice},
    {ir::OpCode::dynamic_update_slice, lower_dynamic_update_slice},
    {ir::OpCode::gather, lower_gather},
    {ir::OpCode::pad, lower_pad},
    {ir::OpCode::reshape, lower_view},
    {ir::OpCode::reverse, lower_view},
    {ir::OpCode::scatter, lower_scatter},
    {ir::OpCode::slice, lower_view},
    {ir::OpCode::sort, lower_sort},
    {ir::OpCode::transpose, lower_view},
    {ir::OpCode::convolution, lower_convolution},
    {ir::OpCode::dot_general, lower_dot_general},
    {ir::OpCode::fft, lower_fft},
    {ir::OpCode::reduce, lower_reduce},
    {ir::OpCode::reduce_window, lower_reduce_window},
    {ir::OpCode::select_and_scatter, lower_select_and_scatter},
    {ir::OpCode::rng_bit_generator, lower_random},
    {ir::OpCode::call, lower_call},
    {ir::OpCode::case_, lower_case},
    {ir::OpCode::custom_call, lower_custom_call},
    {ir::OpCode::if_, lower_case},
    {ir::OpCode::optimization_barrier, lower_barrier},
    {ir::OpCode::while_, lower_while},
    {ir::OpCode::all_gather, lower_collective},
    {ir::OpCode::all_reduce, lower_collective},
    {ir::OpCode::all_to_all, lower_collective},
    {ir::OpCode::collective_broadcast, lower_collective},
    {ir::OpCode::collective_permute, lower_collective},
    {ir::OpCode::reduce_scatter, lower_collective},
}};
// clang-format on

static_assert(ir::rows_stand_at_their_code(rows), "one row for each op, in the order of OpCode");
static_assert(std::none_of(rows.begin(), rows.end(),
                           [](Row row) { return row.lowering == nullptr; }));

}  // namespace

Lowering lowering_of(ir::OpCode code) { return rows[static_cast<size_t>(code)].lowering; }

void lower_block(Planner& planner, const ir::Block& block) {
  std::vector<Group> groups = group_ops(planner, block);
  run_updates_early(planner, block, groups);
  for (const Group& group : groups) {
    const ir::ValueId again = made_again(group);
    if (again != ir::no_value) planner.leave_unread(again);
  }
  for (const Group& group : groups) {
    planner.at(*group.ops.back());
    planner.let_chain_grow(group.early);
    lower_group(planner, group);
  }
  planner.let_chain_grow(false);
}

}  // namespace cpu
}  // namespace systolic::inline v0
