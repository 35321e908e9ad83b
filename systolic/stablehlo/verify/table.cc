#include "systolic/stablehlo/verify/table.h"

#include <unordered_map>

#include "systolic/stablehlo/verify/families.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

constexpr OpRow rows[] = {
    {"abs", verify_abs, 1, 1, 0, "sfcq"},
    {"add", verify_add, 2, 1, 0, "bifcQ"},
    {"all_gather", verify_all_gather, -1, -1, 0, "*"},
    {"all_reduce", verify_all_reduce, -1, -1, 1, "*"},
    {"all_to_all", verify_all_to_all, -1, -1, 0, "*"},
    {"and", verify_same_type, 2, 1, 0, "bi"},
    {"async_done", verify_async_done, 1, -1, 0, ""},
    {"async_start", verify_async_start, -1, 1, 1, "*"},
    {"atan2", verify_same_baseline_type, 2, 1, 0, "fcq"},
    {"batch_norm_grad", verify_batch_norm_grad, 5, 3, 0, "fq"},
    {"batch_norm_inference", verify_batch_norm_inference, 5, 1, 0, "fq"},
    {"batch_norm_training", verify_batch_norm_training, 3, 3, 0, "fq"},
    {"bitcast_convert", verify_bitcast_convert, 1, 1, 0, "*"},
    {"broadcast_in_dim", verify_broadcast_in_dim, 1, 1, 0, "*"},
    {"case", verify_case, 1, -1, -1, "i0"},
    {"cbrt", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"ceil", verify_same_baseline_type, 1, 1, 0, "fq"},
    {"cholesky", verify_cholesky, 1, 1, 0, "fcq"},
    {"clamp", verify_clamp, 3, 1, 0, "bifcq"},
    {"collective_broadcast", verify_collective_broadcast, -1, -1, 0, "*"},
    {"collective_permute", verify_collective_permute, 1, 1, 0, "*"},
    {"collective_reduce", verify_collective_reduce, -1, -1, 1, "*"},
    {"compare", verify_compare, 2, 1, 0, "bifcq"},
    {"complex", verify_complex, 2, 1, 0, "f"},
    {"composite", verify_composite, -1, -1, -1, ""},
    {"concatenate", verify_concatenate, -1, 1, 0, "*"},
    {"constant", verify_constant, 0, 1, 0, "*"},
    {"convert", verify_convert, 1, 1, 0, "*"},
    {"convolution", verify_convolution, 2, 1, 0, "*"},
    {"cosine", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"count_leading_zeros", verify_same_type, 1, 1, 0, "i"},
    {"divide", verify_same_baseline_type, 2, 1, 0, "ifcq"},
    {"dot_general", verify_dot_general, 2, 1, 0, "*"},
    {"dynamic_broadcast_in_dim", verify_dynamic_broadcast_in_dim, 2, 1, 0, "* i1"},
    {"dynamic_conv", verify_convolution, 3, 1, 0, "* * i2"},
    {"dynamic_gather", verify_dynamic_gather, 3, 1, 0, "* i i1"},
    {"dynamic_iota", verify_dynamic_iota, 1, 1, 0, "*1"},
    {"dynamic_pad", verify_dynamic_pad, 5, 1, 0, "* *0 i1"},
    {"dynamic_reshape", verify_dynamic_reshape, 2, 1, 0, "* *1"},
    {"dynamic_slice", verify_dynamic_slice, -1, 1, 0, "* i0"},
    {"dynamic_update_slice", verify_dynamic_update_slice, -1, 1, 0, "* * i0"},
    {"exponential", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"exponential_minus_one", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"fft", verify_fft, 1, 1, 0, "fc"},
    {"floor", verify_same_baseline_type, 1, 1, 0, "fq"},
    {"gather", verify_gather, 2, 1, 0, "* i"},
    {"get_dimension_size", verify_get_dimension_size, 1, 1, 0, "*"},
    {"get_tuple_element", verify_get_tuple_element, 1, 1, 0, ""},
    {"if", verify_if, 1, -1, 2, "b0"},
    {"imag", verify_complex_part, 1, 1, 0, "fc"},
    {"infeed", verify_infeed, 1, -1, 0, ""},
    {"iota", verify_iota, 0, 1, 0, "*"},
    {"is_finite", verify_is_finite, 1, 1, 0, "fq"},
    {"log", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"log_plus_one", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"logistic", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"map", verify_map, -1, 1, 1, "*"},
    {"maximum", verify_same_baseline_type, 2, 1, 0, "bifcq"},
    {"minimum", verify_same_baseline_type, 2, 1, 0, "bifcq"},
    {"multiply", verify_same_baseline_type, 2, 1, 0, "bifcq"},
    {"negate", verify_same_baseline_type, 1, 1, 0, "ifcq"},
    {"not", verify_same_type, 1, 1, 0, "bi"},
    {"optimization_barrier", verify_optimization_barrier, -1, -1, 0, ""},
    {"or", verify_same_type, 2, 1, 0, "bi"},
    {"pad", verify_pad, 2, 1, 0, "* *0"},
    {"popcnt", verify_same_type, 1, 1, 0, "i"},
    {"power", verify_same_baseline_type, 2, 1, 0, "ifcq"},
    {"real", verify_complex_part, 1, 1, 0, "fc"},
    {"recv", verify_send_or_recv, 1, -1, 0, ""},
    {"reduce", verify_reduce, -1, -1, 1, "*"},
    {"reduce_precision", verify_reduce_precision, 1, 1, 0, "fq"},
    {"reduce_scatter", verify_reduce_scatter, 1, 1, 1, "*"},
    {"reduce_window", verify_reduce_window, -1, -1, 1, "*"},
    {"remainder", verify_same_baseline_type, 2, 1, 0, "ifcq"},
    {"reshape", verify_reshape, 1, 1, 0, "*"},
    {"reverse", verify_reverse, 1, 1, 0, "*"},
    {"rng", verify_rng, 3, 1, 0, "bif0 bif0 *1"},
    {"rng_bit_generator", verify_rng_bit_generator, 1, 2, 0, "i1"},
    {"round_nearest_afz", verify_same_baseline_type, 1, 1, 0, "fq"},
    {"round_nearest_even", verify_same_baseline_type, 1, 1, 0, "fq"},
    {"rsqrt", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"scatter", verify_scatter, -1, -1, 1, "*"},
    {"select", verify_select, 3, 1, 0, "b *"},
    {"select_and_scatter", verify_select_and_scatter, 3, 1, 2, "* * *0"},
    {"send", verify_send_or_recv, -1, 1, 0, ""},
    {"shift_left", verify_same_type, 2, 1, 0, "i"},
    {"shift_right_arithmetic", verify_same_type, 2, 1, 0, "i"},
    {"shift_right_logical", verify_same_type, 2, 1, 0, "i"},
    {"sign", verify_same_baseline_type, 1, 1, 0, "sfcq"},
    {"sine", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"slice", verify_slice, 1, 1, 0, "*"},
    {"sort", verify_sort, -1, -1, 1, "*"},
    {"sqrt", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"subtract", verify_same_baseline_type, 2, 1, 0, "ifcq"},
    {"tan", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"tanh", verify_same_baseline_type, 1, 1, 0, "fcq"},
    {"transpose", verify_transpose, 1, 1, 0, "*"},
    {"triangular_solve", verify_triangular_solve, 2, 1, 0, "fcq"},
    {"tuple", verify_tuple, -1, 1, 0, ""},
    {"uniform_dequantize", verify_uniform_dequantize, 1, 1, 0, "Q"},
    {"uniform_quantize", verify_uniform_quantize, 1, 1, 0, "fQ"},
    {"while", verify_while, -1, -1, 2, ""},
    {"xor", verify_same_type, 2, 1, 0, "bi"},
};

}  // namespace

const OpRow* find_op_row(std::string_view op) {
  static const std::unordered_map<std::string_view, const OpRow*> table = [] {
    std::unordered_map<std::string_view, const OpRow*> rows_by_name;
    for (const OpRow& row : rows) rows_by_name[row.name] = &row;
    return rows_by_name;
  }();
  constexpr std::string_view dialect = "stablehlo.";
  if (op.substr(0, dialect.size()) != dialect) return nullptr;
  const auto found = table.find(op.substr(dialect.size()));
  return found == table.end() ? nullptr : found->second;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
