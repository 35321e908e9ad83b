#include "systolic/plan/roofline.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace plan {

std::optional<Roofline> roofline(const TpuGeneration& generation,
                                 const runtime::TpuProgram& program) {
  const auto cost = [&](const char* name) {
    const auto found = program.cost.find(name);
    return found == program.cost.end() ? 0.0 : std::max(0.0, found->second);
  };
  Roofline result{.flops = cost("flops"), .bytes = cost("bytes accessed")};
  if (result.flops == 0 && result.bytes == 0) return std::nullopt;
  result.compute_seconds = result.flops / generation.peak_bf16_flops_per_core;
  result.memory_seconds = result.bytes / generation.memory_bandwidth_per_core;
  return result;
}

}  // namespace plan
}  // namespace systolic::inline v0
