// The order of an array's axes in memory, as callers ask for it (jax.experimental.layout): the axis
// whose neighbours are adjacent first. Row-major is [rank - 1, ..., 0].
//
// The engine's arrays are row-major. An order is what callers see: it is reported, compared, and
// bytes come in it to those who read memory.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

std::vector<int64_t> row_major(size_t rank);

// By the attribute mhlo.layout_mode of an argument: "default", "auto" or "{0,1}". Any other text is
// an InvalidArgument.
std::vector<int64_t> argument_order(const stablehlo::Function& function, size_t argument,
                                    size_t rank);
// The same of a result. Where it is left open ("auto"), a transpose is the array that it
// transposes, read in another order: nothing has to move.
std::vector<int64_t> result_order(const stablehlo::Program& program,
                                  const stablehlo::Function& function, size_t result, size_t rank);

}  // namespace plugin
}  // namespace systolic::inline v0
