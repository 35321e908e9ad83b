// What a collective does to the operands of a group of cores.
#pragma once

#include <span>
#include <vector>

#include "backends/interpreter/kernels.h"

namespace systolic::inline v0 {
namespace interpreter {

// `operands` are those of the cores of one group, in the group's order, and so are the results.
// `call` describes the op; its operands are not used.
std::vector<Literal> run_group(const Call& call, std::span<const Literal> operands, size_t operand);

// collective_permute over all cores.
std::vector<Literal> run_permute(const ir::PermuteAttributes& attributes,
                                 std::span<const Literal> operands);

}  // namespace interpreter
}  // namespace systolic::inline v0
