// The table of kernels: one for each op that one core computes alone and that runs no region as a
// whole. Control ops and collectives are in evaluator.cc and collectives.cc.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace interpreter {

// What a kernel is given.
struct Call {
  const ir::Op& op;
  std::span<const Literal> operands;
  std::span<const ir::Type> results;  // the types to compute
  // Runs a region of the op on scalars.
  std::function<std::vector<Literal>(size_t region, std::span<const Literal> arguments)> run;

  const Literal& operand(size_t i = 0) const { return operands[i]; }
  const ir::Type& result(size_t i = 0) const { return results[i]; }
  const ir::Block& region(size_t i = 0) const { return op.regions[i]; }
};

using Kernel = std::vector<Literal> (*)(const Call&);

// The op's kernel; nullptr for control ops, collectives and core ids.
Kernel kernel(ir::OpCode code);

std::vector<Literal> run_unary(const Call& call);
std::vector<Literal> run_binary(const Call& call);
std::vector<Literal> run_compare(const Call& call);
std::vector<Literal> run_complex(const Call& call);
std::vector<Literal> run_clamp(const Call& call);
std::vector<Literal> run_select(const Call& call);
std::vector<Literal> run_bitcast_convert(const Call& call);
std::vector<Literal> run_convert(const Call& call);
std::vector<Literal> run_reduce_precision(const Call& call);

std::vector<Literal> run_constant(const Call& call);
std::vector<Literal> run_iota(const Call& call);
std::vector<Literal> run_rng_bit_generator(const Call& call);

std::vector<Literal> run_broadcast_in_dim(const Call& call);
std::vector<Literal> run_concatenate(const Call& call);
std::vector<Literal> run_dynamic_slice(const Call& call);
std::vector<Literal> run_dynamic_update_slice(const Call& call);
std::vector<Literal> run_pad(const Call& call);
std::vector<Literal> run_reshape(const Call& call);
std::vector<Literal> run_reverse(const Call& call);
std::vector<Literal> run_slice(const Call& call);
std::vector<Literal> run_transpose(const Call& call);

std::vector<Literal> run_gather(const Call& call);
std::vector<Literal> run_scatter(const Call& call);
std::vector<Literal> run_sort(const Call& call);

std::vector<Literal> run_convolution(const Call& call);
std::vector<Literal> run_dot_general(const Call& call);
std::vector<Literal> run_fft(const Call& call);
std::vector<Literal> run_reduce(const Call& call);
std::vector<Literal> run_reduce_window(const Call& call);
std::vector<Literal> run_select_and_scatter(const Call& call);

std::vector<Literal> run_custom_call(const Call& call);

}  // namespace interpreter
}  // namespace systolic::inline v0
