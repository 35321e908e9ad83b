// The handlers of ops, by family; import_table.cc names the ops of each.
#pragma once

#include "systolic/stablehlo/import/importer.h"

namespace systolic::inline v0 {
namespace stablehlo {

// import_elementwise.cc
void import_extremum(OpImport& op);  // maximum and minimum
void import_same(OpImport& op);      // no attributes, no requested type
void import_compare(OpImport& op);
ir::CompareAttributes compare_attributes(const OpImport& op);
void import_convert(OpImport& op);
void import_bitcast_convert(OpImport& op);
void import_bits(OpImport& op);  // popcnt, count_leading_zeros, shift_right_logical
void import_reduce_precision(OpImport& op);
void import_constant(OpImport& op);
void import_identity(OpImport& op);  // uniform_quantize and uniform_dequantize on numbers
void import_iota(OpImport& op);

// import_movement.cc
void import_broadcast_in_dim(OpImport& op);
void import_broadcast(OpImport& op);
void import_concatenate(OpImport& op);
void import_dynamic_slice(OpImport& op);
void import_gather(OpImport& op);
ir::GatherAttributes gather_attributes(const OpImport& op);  // except the slice sizes
void import_pad(OpImport& op);
void import_reshape(OpImport& op);
void import_reverse(OpImport& op);
void import_scatter(OpImport& op);
void import_slice(OpImport& op);
void import_sort(OpImport& op);
void import_transpose(OpImport& op);

// import_contraction.cc
void import_dot(OpImport& op);
void import_dot_general(OpImport& op);
void import_convolution(OpImport& op);
ir::ConvolutionAttributes convolution_attributes(const OpImport& op);

// import_reduction.cc
void import_reduce(OpImport& op);
void import_reduce_window(OpImport& op);
void import_select_and_scatter(OpImport& op);

// import_map.cc, import_random.cc
void import_map(OpImport& op);
void import_rng(OpImport& op);
void import_rng_bit_generator(OpImport& op);

// import_control.cc
void import_after_all(OpImport& op);
void import_branches(OpImport& op);
void import_call(OpImport& op);
void import_async_done(OpImport& op);
void import_async_start(OpImport& op);
void import_composite(OpImport& op);
void import_infeed(OpImport& op);
void import_outfeed(OpImport& op);
void import_exchange(OpImport& op);  // send and recv
void import_get_tuple_element(OpImport& op);
void import_optimization_barrier(OpImport& op);
void import_tuple(OpImport& op);
void import_while(OpImport& op);

// import_collective.cc
void import_collective(OpImport& op);
void import_collective_reduce(OpImport& op);
void import_core_id(OpImport& op);

// import_sdy.cc
void import_sharding_hint(OpImport& op);
void import_named_computation(OpImport& op);
void import_manual_computation(OpImport& op);

// import_mhlo.cc
void import_mhlo_call(OpImport& op);

// import_check.cc
void import_check(OpImport& op);
void import_probed_check(OpImport& op);
void import_probe(OpImport& op);
void import_custom_call(OpImport& op);
void import_custom_function(OpImport& op);

// import_dynamic.cc: ops whose sizes are operands.
void import_get_dimension_size(OpImport& op);
void import_set_dimension_size(OpImport& op);
void import_dynamic_shape(OpImport& op);
void import_dynamic_gather(OpImport& op);
void import_dynamic_pad(OpImport& op);
void import_real_dynamic_slice(OpImport& op);
void import_dynamic_conv(OpImport& op);

// import_batch_norm.cc
void import_batch_norm_grad(OpImport& op);
void import_batch_norm_inference(OpImport& op);
void import_batch_norm_training(OpImport& op);

// import_fft.cc, import_linear.cc
void import_fft(OpImport& op);
void import_cholesky(OpImport& op);
void import_triangular_solve(OpImport& op);

// Custom calls: import_householder.cc, import_eigh.cc, import_lu.cc, import_approx_top_k.cc
void import_qr(OpImport& op);
void import_householder_product(OpImport& op);
void import_eigh(OpImport& op);
void import_lu(OpImport& op);
void import_approx_top_k(OpImport& op);

// import_scan.cc, import_ragged_dot.cc
void import_scan(OpImport& op);
void import_ragged_dot(OpImport& op);

// import_chlo.cc
void import_chlo_unary(OpImport& op);
// Applies a function, given by its full name ("chlo.acos"), to the op's operand.
ir::Value chlo_unary(OpImport& op, std::string_view name);
void import_chlo_binary(OpImport& op);  // next_after, polygamma, zeta
void import_chlo_broadcast(
    OpImport& op);  // broadcast_add, ...: of shapes that broadcast as NumPy's
void import_constant_like(OpImport& op);
void import_chlo_exact(OpImport& op);  // conj, square: of any numbers
void import_is_inf(OpImport& op);
void import_mulhi(OpImport& op);
void import_top_k(OpImport& op);
// The k largest, or smallest, of each row of the op's operand and their positions, as i32; among
// equal ones the first.
std::vector<ir::Value> first_in_order(OpImport& op, int64_t k, bool largest);

}  // namespace stablehlo
}  // namespace systolic::inline v0
