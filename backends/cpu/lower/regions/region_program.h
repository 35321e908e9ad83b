// A scalar region (of a reduction, sort or scatter) as a tile program that runs over many elements.
#pragma once

#include <span>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// How one argument of the region is read: elements of `dtype`, `strides` over the space.
struct RegionInput {
  DType dtype;
  std::vector<int64_t> strides;
};

// The region over `space`; inputs are its arguments in order, outputs its results. Raises
// Unimplemented naming `op` where it holds ops that tile programs lack.
kernels::TileProgram compile_region(Planner& planner, const ir::Op& op, const ir::Block& region,
                                    const Shape& space, std::span<const RegionInput> inputs);

}  // namespace cpu
}  // namespace systolic::inline v0
