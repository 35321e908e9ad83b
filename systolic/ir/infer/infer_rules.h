// The shape rules themselves and what they share; other folders include infer.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/ir/infer/infer.h"

namespace systolic::inline v0 {
namespace ir {

using InferRule = std::vector<Type> (*)(const InferInput&);

std::vector<Type> infer_unary(const InferInput& input);
std::vector<Type> infer_binary(const InferInput& input);
std::vector<Type> infer_compare(const InferInput& input);
std::vector<Type> infer_complex(const InferInput& input);
std::vector<Type> infer_clamp(const InferInput& input);
std::vector<Type> infer_select(const InferInput& input);
std::vector<Type> infer_bitcast_convert(const InferInput& input);
std::vector<Type> infer_convert(const InferInput& input);
std::vector<Type> infer_reduce_precision(const InferInput& input);

std::vector<Type> infer_constant(const InferInput& input);
std::vector<Type> infer_iota(const InferInput& input);
std::vector<Type> infer_core_id(const InferInput& input);
std::vector<Type> infer_rng_bit_generator(const InferInput& input);

std::vector<Type> infer_broadcast_in_dim(const InferInput& input);
std::vector<Type> infer_concatenate(const InferInput& input);
std::vector<Type> infer_dynamic_slice(const InferInput& input);
std::vector<Type> infer_dynamic_update_slice(const InferInput& input);
std::vector<Type> infer_pad(const InferInput& input);
std::vector<Type> infer_reshape(const InferInput& input);
std::vector<Type> infer_reverse(const InferInput& input);
std::vector<Type> infer_slice(const InferInput& input);
std::vector<Type> infer_transpose(const InferInput& input);

std::vector<Type> infer_gather(const InferInput& input);
std::vector<Type> infer_scatter(const InferInput& input);
std::vector<Type> infer_sort(const InferInput& input);

std::vector<Type> infer_convolution(const InferInput& input);
std::vector<Type> infer_dot_general(const InferInput& input);
std::vector<Type> infer_fft(const InferInput& input);
std::vector<Type> infer_reduce(const InferInput& input);
std::vector<Type> infer_reduce_window(const InferInput& input);
std::vector<Type> infer_select_and_scatter(const InferInput& input);

std::vector<Type> infer_call(const InferInput& input);
std::vector<Type> infer_case(const InferInput& input);
std::vector<Type> infer_custom_call(const InferInput& input);
std::vector<Type> infer_if(const InferInput& input);
std::vector<Type> infer_optimization_barrier(const InferInput& input);
std::vector<Type> infer_while(const InferInput& input);

std::vector<Type> infer_all_gather(const InferInput& input);
std::vector<Type> infer_all_reduce(const InferInput& input);
std::vector<Type> infer_all_to_all(const InferInput& input);
std::vector<Type> infer_collective_broadcast(const InferInput& input);
std::vector<Type> infer_collective_permute(const InferInput& input);
std::vector<Type> infer_reduce_scatter(const InferInput& input);

template <class T>
const T& attributes_of(const InferInput& input) {
  return std::get<T>(input.attributes);
}

// Checks that several rules share. `name` is the attribute as the specification calls it.

// 0 <= axes < limit
void check_range(const InferInput& input, std::string_view label, std::string_view name,
                 const Axes& axes, int64_t limit);
void check_unique(const InferInput& input, std::string_view label, std::string_view name,
                  const Axes& axes);
void check_sorted(const InferInput& input, std::string_view label, std::string_view name,
                  const Axes& axes);
// size(values) = wanted
void check_size(const InferInput& input, std::string_view label, std::string_view name, size_t size,
                int64_t wanted);
// lowest <= values
void check_at_least(const InferInput& input, std::string_view label, std::string_view name,
                    const Axes& values, int64_t lowest);
// Operand `index` has element type `dtype` / is an integer.
void check_same_dtype(const InferInput& input, std::string_view label, const Type& type,
                      const Type& wanted);
void check_same_type(const InferInput& input, std::string_view label, const Type& type,
                     const Type& wanted);
void check_scalar(const InferInput& input, std::string_view label, std::string_view name,
                  const Type& type);

// A size computed in 128 bits, at most 2^63 - 1; infer_types refuses larger ones.
int64_t saturated(__int128 size);

// What a region takes and returns.
std::vector<Type> region_arguments(const InferInput& input, size_t region);
std::vector<Type> region_results(const InferInput& input, size_t region);
// The region takes exactly these; `label` otherwise.
void check_region_arguments(const InferInput& input, std::string_view label, size_t region,
                            std::span<const Type> wanted);
// The element types that a fold region over arrays of these types gives: it must take two scalars
// an array (first all left ones, then all right ones) and return one each, of types to which the
// arrays' types can be promoted.
std::vector<DType> fold_types(const InferInput& input, std::string_view label, size_t region,
                              std::span<const Type> arrays);

}  // namespace ir
}  // namespace systolic::inline v0
