#include "systolic/ir/infer/infer.h"

#include <algorithm>
#include <array>

#include "systolic/base/error.h"
#include "systolic/ir/infer/infer_rules.h"
#include "systolic/ir/op_table.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

struct Row {
  OpCode code;
  InferRule rule;
};

using enum OpCode;

constexpr std::array<Row, op_count> rules{{
    {abs, infer_unary},
    {cbrt, infer_unary},
    {ceil, infer_unary},
    {cosine, infer_unary},
    {count_leading_zeros, infer_unary},
    {erf, infer_unary},
    {exponential, infer_unary},
    {exponential_minus_one, infer_unary},
    {floor, infer_unary},
    {imag, infer_unary},
    {is_finite, infer_unary},
    {log, infer_unary},
    {log_plus_one, infer_unary},
    {logistic, infer_unary},
    {negate, infer_unary},
    {not_, infer_unary},
    {popcnt, infer_unary},
    {real, infer_unary},
    {round_nearest_afz, infer_unary},
    {round_nearest_even, infer_unary},
    {rsqrt, infer_unary},
    {sign, infer_unary},
    {sine, infer_unary},
    {sqrt, infer_unary},
    {tan, infer_unary},
    {tanh, infer_unary},

    {add, infer_binary},
    {and_, infer_binary},
    {atan2, infer_binary},
    {compare, infer_compare},
    {complex, infer_complex},
    {divide, infer_binary},
    {maximum, infer_binary},
    {minimum, infer_binary},
    {multiply, infer_binary},
    {or_, infer_binary},
    {power, infer_binary},
    {remainder, infer_binary},
    {shift_left, infer_binary},
    {shift_right_arithmetic, infer_binary},
    {shift_right_logical, infer_binary},
    {subtract, infer_binary},
    {xor_, infer_binary},

    {clamp, infer_clamp},
    {select, infer_select},
    {bitcast_convert, infer_bitcast_convert},
    {convert, infer_convert},
    {reduce_precision, infer_reduce_precision},

    {constant, infer_constant},
    {iota, infer_iota},
    {partition_id, infer_core_id},
    {replica_id, infer_core_id},

    {broadcast_in_dim, infer_broadcast_in_dim},
    {concatenate, infer_concatenate},
    {dynamic_slice, infer_dynamic_slice},
    {dynamic_update_slice, infer_dynamic_update_slice},
    {gather, infer_gather},
    {pad, infer_pad},
    {reshape, infer_reshape},
    {reverse, infer_reverse},
    {scatter, infer_scatter},
    {slice, infer_slice},
    {sort, infer_sort},
    {transpose, infer_transpose},

    {convolution, infer_convolution},
    {dot_general, infer_dot_general},
    {fft, infer_fft},
    {reduce, infer_reduce},
    {reduce_window, infer_reduce_window},
    {select_and_scatter, infer_select_and_scatter},
    {rng_bit_generator, infer_rng_bit_generator},

    {call, infer_call},
    {case_, infer_case},
    {custom_call, infer_custom_call},
    {if_, infer_if},
    {optimization_barrier, infer_optimization_barrier},
    {while_, infer_while},

    {all_gather, infer_all_gather},
    {all_reduce, infer_all_reduce},
    {all_to_all, infer_all_to_all},
    {collective_broadcast, infer_collective_broadcast},
    {collective_permute, infer_collective_permute},
    {reduce_scatter, infer_reduce_scatter},
}};

static_assert(rows_stand_at_their_code(rules), "one row for each op, in the order of OpCode");
static_assert(std::none_of(rules.begin(), rules.end(),
                           [](Row row) { return row.rule == nullptr; }));

// Operands, regions and attributes in the number and of the kind that the op's row says.
void check_form(const InferInput& input) {
  const OpInfo& row = info(input.code);
  if (row.operands >= 0 && static_cast<size_t>(row.operands) != input.operands.size()) {
    raise_constraint(input, "operands", str("got ", input.operands.size(), " operands"),
                     str(row.operands));
  }
  const bool regions_fit = row.regions < 0
                               ? !input.regions.empty()
                               : input.regions.size() == static_cast<size_t>(row.regions);
  if (!regions_fit) {
    raise_constraint(input, "regions", str("got ", input.regions.size(), " regions"),
                     row.regions < 0 ? "at least 1" : str(row.regions));
  }
  if (kind_of(input.attributes) != row.attributes) {
    raise_constraint(input, "attributes",
                     str("got attributes of kind ", static_cast<int>(kind_of(input.attributes))),
                     str("kind ", static_cast<int>(row.attributes), " of ir::AttributeKind"));
  }
}

// An array that no memory holds is refused where it is written, before anybody multiplies its
// sizes.
void check_bytes(const InferInput& input, const Type& type) {
  int64_t bytes = std::max(byte_width(type.dtype), 1);
  for (int64_t size : type.shape) {
    if (size >= 0 && !__builtin_mul_overflow(bytes, std::max<int64_t>(size, 1), &bytes)) continue;
    raise_constraint(input, "size", str("the result would be ", to_string(type)),
                     "an array of less than 2^63 bytes");
  }
}

}  // namespace

void raise_constraint(const InferInput& input, std::string_view label, std::string what,
                      std::string wanted, std::string hint) {
  raise<InvalidArgument>({.what = str(info(input.code).name, ": ", what, " [", label, "]"),
                          .wanted = std::move(wanted),
                          .hint = std::move(hint),
                          .location = input.location});
}

std::vector<Type> infer_types(const InferInput& input) {
  check_form(input);
  std::vector<Type> results = rules[static_cast<size_t>(input.code)].rule(input);
  for (const Type& result : results) check_bytes(input, result);
  return results;
}

}  // namespace ir
}  // namespace systolic::inline v0
