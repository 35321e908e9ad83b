// The constraints of StableHLO's ops, by family; table.cc names the ops of each. A function checks
// the constraints of the ops named above it, in the order of their numbers as far as one does not
// presume another.
#pragma once

#include "systolic/stablehlo/verify/op/op_verifier.h"

namespace systolic::inline v0 {
namespace stablehlo {

void verify_nothing(const OpVerifier& op);

// elementwise.cc
void verify_same_type(const OpVerifier& op);           // and, popcnt, shift_left, ...: C1
void verify_same_baseline_type(const OpVerifier& op);  // cosine, divide, ...: C1
void verify_abs(const OpVerifier& op);
void verify_add(const OpVerifier& op);
void verify_clamp(const OpVerifier& op);
void verify_compare(const OpVerifier& op);
void verify_complex(const OpVerifier& op);
void verify_complex_part(const OpVerifier& op);  // real, imag
void verify_is_finite(const OpVerifier& op);
void verify_reduce_precision(const OpVerifier& op);
void verify_select(const OpVerifier& op);

// element_type.cc
void verify_bitcast_convert(const OpVerifier& op);
void verify_constant(const OpVerifier& op);
void verify_convert(const OpVerifier& op);
void verify_uniform_dequantize(const OpVerifier& op);
void verify_uniform_quantize(const OpVerifier& op);

// movement.cc
void verify_concatenate(const OpVerifier& op);
void verify_dynamic_slice(const OpVerifier& op);
void verify_dynamic_update_slice(const OpVerifier& op);
void verify_get_dimension_size(const OpVerifier& op);
void verify_iota(const OpVerifier& op);
void verify_dynamic_iota(const OpVerifier& op);
// Is the result as large as a constant says?
void has_sizes(const OpVerifier& op, int constraint, const Axes& sizes);
void verify_pad(const OpVerifier& op);
void verify_dynamic_pad(const OpVerifier& op);
void verify_reverse(const OpVerifier& op);
void verify_slice(const OpVerifier& op);

// reshape.cc
void verify_broadcast_in_dim(const OpVerifier& op);
void verify_dynamic_broadcast_in_dim(const OpVerifier& op);
void verify_reshape(const OpVerifier& op);
void verify_dynamic_reshape(const OpVerifier& op);
void verify_transpose(const OpVerifier& op);

// gather.cc, scatter.cc
void verify_gather(const OpVerifier& op);
void verify_dynamic_gather(const OpVerifier& op);
void verify_scatter(const OpVerifier& op);

// dot_general.cc, convolution.cc
void verify_dot_general(const OpVerifier& op);
void verify_convolution(const OpVerifier& op);  // also dynamic_conv

// reduction.cc
void verify_map(const OpVerifier& op);
void verify_reduce(const OpVerifier& op);
void verify_sort(const OpVerifier& op);

// window.cc
void verify_reduce_window(const OpVerifier& op);
void verify_select_and_scatter(const OpVerifier& op);

// collective.cc
void verify_all_gather(const OpVerifier& op);
void verify_all_reduce(const OpVerifier& op);
void verify_all_to_all(const OpVerifier& op);
void verify_collective_broadcast(const OpVerifier& op);
void verify_collective_permute(const OpVerifier& op);
void verify_collective_reduce(const OpVerifier& op);
void verify_reduce_scatter(const OpVerifier& op);

// control.cc
void verify_case(const OpVerifier& op);
void verify_composite(const OpVerifier& op);
void verify_get_tuple_element(const OpVerifier& op);
void verify_if(const OpVerifier& op);
void verify_optimization_barrier(const OpVerifier& op);
void verify_tuple(const OpVerifier& op);
void verify_while(const OpVerifier& op);

// transfer.cc
void verify_async_done(const OpVerifier& op);
void verify_async_start(const OpVerifier& op);
void verify_infeed(const OpVerifier& op);
void verify_send_or_recv(const OpVerifier& op);

// batch_norm.cc
void verify_batch_norm_grad(const OpVerifier& op);
void verify_batch_norm_inference(const OpVerifier& op);
void verify_batch_norm_training(const OpVerifier& op);

// linear.cc
void verify_cholesky(const OpVerifier& op);
void verify_fft(const OpVerifier& op);
void verify_rng(const OpVerifier& op);
void verify_rng_bit_generator(const OpVerifier& op);
void verify_triangular_solve(const OpVerifier& op);

// custom_call.cc
void verify_custom_call(const OpVerifier& op);

// dropped.cc
void verify_broadcast(const OpVerifier& op);
void verify_dot(const OpVerifier& op);
void verify_set_dimension_size(const OpVerifier& op);

// chlo.cc
void verify_chlo_elementwise(const OpVerifier& op);  // broadcast_add, ...
void verify_broadcast_complex(const OpVerifier& op);
void verify_broadcast_select(const OpVerifier& op);
void verify_constant_like(const OpVerifier& op);
void verify_mulhi(const OpVerifier& op);
void verify_ragged_dot(const OpVerifier& op);
void verify_scan(const OpVerifier& op);
void verify_top_k(const OpVerifier& op);

// run_parallel.cc
void verify_run_parallel(const OpVerifier& op);

}  // namespace stablehlo
}  // namespace systolic::inline v0
