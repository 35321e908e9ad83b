#include "backends/cpu/lower/regions/region_program.h"

#include "backends/cpu/fuse/tile_compiler.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

kernels::TileProgram compile_region(Planner& planner, const ir::Op& op, const ir::Block& region,
                                    const Shape& space, std::span<const RegionInput> inputs) {
  if (!TileCompiler::supports_region(planner, region)) {
    raise<Unimplemented>(
        {.what = str(ir::info(op.code).name,
                     " with a region that reads values from outside, or on complex numbers"),
         .hint = "use elementwise ops on the region's own arguments and constants",
         .location = op.location});
  }
  TileCompiler compiler(planner, space);
  for (size_t i = 0; i < inputs.size(); ++i) {
    compiler.bind_input(region.arguments[i], inputs[i].dtype, inputs[i].strides);
  }
  compiler.add_region(region);
  for (ir::ValueId result : region.results) compiler.output(result);
  return compiler.build();
}

}  // namespace cpu
}  // namespace systolic::inline v0
