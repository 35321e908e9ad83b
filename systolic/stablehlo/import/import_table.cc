// One row an op: what imports it.
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

using ir::OpCode;

struct NamedRow {
  std::string_view name;  // without "stablehlo."
  Handler handler;
  OpCode code = OpCode::constant;
};

constexpr NamedRow rows[] = {
    {"after_all", import_after_all},
    {"all_gather", import_collective, OpCode::all_gather},
    {"all_reduce", import_collective, OpCode::all_reduce},
    {"all_to_all", import_collective, OpCode::all_to_all},
    {"async_done", import_async_done},
    {"async_start", import_async_start},
    {"batch_norm_grad", import_batch_norm_grad},
    {"batch_norm_inference", import_batch_norm_inference},
    {"batch_norm_training", import_batch_norm_training},
    {"bitcast_convert", import_bitcast_convert, OpCode::bitcast_convert},
    {"broadcast", import_broadcast},
    {"broadcast_in_dim", import_broadcast_in_dim, OpCode::broadcast_in_dim},
    {"case", import_branches, OpCode::case_},
    {"cholesky", import_cholesky},
    {"clamp", import_same, OpCode::clamp},
    {"collective_broadcast", import_collective, OpCode::collective_broadcast},
    {"collective_permute", import_collective, OpCode::collective_permute},
    {"collective_reduce", import_collective_reduce, OpCode::all_reduce},
    {"compare", import_compare, OpCode::compare},
    {"composite", import_composite},
    {"concatenate", import_concatenate, OpCode::concatenate},
    {"constant", import_constant, OpCode::constant},
    {"convert", import_convert, OpCode::convert},
    {"convolution", import_convolution, OpCode::convolution},
    {"count_leading_zeros", import_bits, OpCode::count_leading_zeros},
    {"create_token", import_after_all},
    {"custom_call", import_custom_call},
    {"dot", import_dot},
    {"dot_general", import_dot_general},
    {"dynamic_broadcast_in_dim", import_dynamic_shape, OpCode::broadcast_in_dim},
    {"dynamic_conv", import_dynamic_conv},
    {"dynamic_gather", import_dynamic_gather},
    {"dynamic_iota", import_dynamic_shape, OpCode::iota},
    {"dynamic_pad", import_dynamic_pad},
    {"dynamic_reshape", import_dynamic_shape, OpCode::reshape},
    {"dynamic_slice", import_dynamic_slice, OpCode::dynamic_slice},
    {"dynamic_update_slice", import_same, OpCode::dynamic_update_slice},
    {"fft", import_fft, OpCode::fft},
    {"gather", import_gather, OpCode::gather},
    {"get_dimension_size", import_get_dimension_size},
    {"get_tuple_element", import_get_tuple_element},
    {"if", import_branches, OpCode::if_},
    {"infeed", import_infeed},
    {"iota", import_iota, OpCode::iota},
    {"map", import_map},
    {"maximum", import_extremum, OpCode::maximum},
    {"minimum", import_extremum, OpCode::minimum},
    {"optimization_barrier", import_optimization_barrier},
    {"outfeed", import_outfeed},
    {"pad", import_pad, OpCode::pad},
    {"partition_id", import_core_id, OpCode::partition_id},
    {"popcnt", import_bits, OpCode::popcnt},
    {"real_dynamic_slice", import_real_dynamic_slice},
    {"recv", import_exchange},
    {"reduce", import_reduce, OpCode::reduce},
    {"reduce_precision", import_reduce_precision, OpCode::reduce_precision},
    {"reduce_scatter", import_collective, OpCode::reduce_scatter},
    {"reduce_window", import_reduce_window, OpCode::reduce_window},
    {"replica_id", import_core_id, OpCode::replica_id},
    {"reshape", import_reshape, OpCode::reshape},
    {"reverse", import_reverse, OpCode::reverse},
    {"rng", import_rng},
    {"rng_bit_generator", import_rng_bit_generator, OpCode::rng_bit_generator},
    {"scatter", import_scatter, OpCode::scatter},
    {"select", import_same, OpCode::select},
    {"select_and_scatter", import_select_and_scatter, OpCode::select_and_scatter},
    {"send", import_exchange},
    {"set_dimension_size", import_set_dimension_size},
    {"shift_right_logical", import_bits, OpCode::shift_right_logical},
    {"slice", import_slice, OpCode::slice},
    {"sort", import_sort, OpCode::sort},
    {"transpose", import_transpose, OpCode::transpose},
    {"triangular_solve", import_triangular_solve},
    {"tuple", import_tuple},
    {"uniform_dequantize", import_identity},
    {"uniform_quantize", import_identity},
    {"while", import_while, OpCode::while_},

    {"func.call", import_call},
    {"sdy.manual_computation", import_manual_computation},
    {"sdy.named_computation", import_named_computation},
    {"sdy.propagation_barrier", import_sharding_hint},
    {"sdy.reshard", import_sharding_hint},
    {"sdy.sharding_constraint", import_sharding_hint},
    {"sdy.sharding_group", import_sharding_hint},
    {"check.expect_almost_eq", import_check},
    {"check.expect_almost_eq_const", import_check},
    {"check.expect_close", import_check},
    {"check.expect_eq", import_check},
    {"check.expect_eq_const", import_check},
    {"check.expect_serialized_eq", import_probed_check},
    {"interpreter.probe", import_probe},
    {"chlo.erf", import_same, OpCode::erf},
    {"chlo._asin_acos_kernel", import_chlo_unary},
    {"chlo.acos", import_chlo_unary},
    {"chlo.acosh", import_chlo_unary},
    {"chlo.asin", import_chlo_unary},
    {"chlo.asin_acos_kernel", import_chlo_unary},
    {"chlo.asinh", import_chlo_unary},
    {"chlo.atan", import_chlo_unary},
    {"chlo.atanh", import_chlo_unary},
    {"chlo.bessel_i1e", import_chlo_unary},
    {"chlo.cosh", import_chlo_unary},
    {"chlo.digamma", import_chlo_unary},
    {"chlo.erf_inv", import_chlo_unary},
    {"chlo.erfc", import_chlo_unary},
    {"chlo.lgamma", import_chlo_unary},
    {"chlo.sinh", import_chlo_unary},
    {"chlo.broadcast_add", import_chlo_broadcast, OpCode::add},
    {"chlo.broadcast_and", import_chlo_broadcast, OpCode::and_},
    {"chlo.broadcast_atan2", import_chlo_broadcast, OpCode::atan2},
    {"chlo.broadcast_compare", import_chlo_broadcast, OpCode::compare},
    {"chlo.broadcast_complex", import_chlo_broadcast, OpCode::complex},
    {"chlo.broadcast_divide", import_chlo_broadcast, OpCode::divide},
    {"chlo.broadcast_maximum", import_chlo_broadcast, OpCode::maximum},
    {"chlo.broadcast_minimum", import_chlo_broadcast, OpCode::minimum},
    {"chlo.broadcast_multiply", import_chlo_broadcast, OpCode::multiply},
    {"chlo.broadcast_next_after", import_chlo_broadcast},
    {"chlo.broadcast_or", import_chlo_broadcast, OpCode::or_},
    {"chlo.broadcast_polygamma", import_chlo_broadcast},
    {"chlo.broadcast_power", import_chlo_broadcast, OpCode::power},
    {"chlo.broadcast_remainder", import_chlo_broadcast, OpCode::remainder},
    {"chlo.broadcast_select", import_chlo_broadcast, OpCode::select},
    {"chlo.broadcast_shift_left", import_chlo_broadcast, OpCode::shift_left},
    {"chlo.broadcast_shift_right_arithmetic", import_chlo_broadcast,
     OpCode::shift_right_arithmetic},
    {"chlo.broadcast_shift_right_logical", import_chlo_broadcast, OpCode::shift_right_logical},
    {"chlo.broadcast_subtract", import_chlo_broadcast, OpCode::subtract},
    {"chlo.broadcast_xor", import_chlo_broadcast, OpCode::xor_},
    {"chlo.broadcast_zeta", import_chlo_broadcast},
    {"chlo.conj", import_chlo_exact},
    {"arith.constant", import_constant, OpCode::constant},
    {"chlo.constant", import_constant, OpCode::constant},
    {"chlo.constant_like", import_constant_like},
    {"chlo.is_inf", import_is_inf},
    {"chlo.is_neg_inf", import_is_inf},
    {"chlo.is_pos_inf", import_is_inf},
    {"chlo.mulhi", import_mulhi},
    {"chlo.next_after", import_chlo_binary},
    {"chlo.polygamma", import_chlo_binary},
    {"chlo.ragged_dot", import_ragged_dot},
    {"chlo.scan", import_scan},
    {"chlo.square", import_chlo_exact},
    {"chlo.top_k", import_top_k},
    {"chlo.zeta", import_chlo_binary},
    {"chlo.tan", import_same, OpCode::tan},
};

using Table = std::unordered_map<std::string_view, HandlerRow>;

Table all_rows() {
  Table table;
  for (int i = 0; i < ir::op_count; ++i) {
    const ir::OpInfo& op = ir::info(static_cast<OpCode>(i));
    const bool elementwise = op.family == ir::OpFamily::unary || op.family == ir::OpFamily::binary;
    // erf is of another dialect.
    if (elementwise && op.code != OpCode::erf) table[op.name] = {import_same, op.code};
  }
  for (const NamedRow& row : rows) table[row.name] = {row.handler, row.code};
  return table;
}

}  // namespace

const HandlerRow* find_handler(std::string_view op) {
  static const Table table = all_rows();
  constexpr std::string_view dialect = "stablehlo.";
  const bool ours = op.substr(0, dialect.size()) == dialect;
  if (ours) op.remove_prefix(dialect.size());
  if (ours == (op.find('.') != std::string_view::npos)) return nullptr;
  const auto found = table.find(op);
  return found == table.end() ? nullptr : &found->second;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
