// From a module to an executable: passes and rewrites, then the plan, which lowering fills.
#pragma once

#include <memory>

#include "backends/cpu/engine.h"
#include "backends/cpu/executable.h"
#include "backends/cpu/lower/lower_block.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace cpu {

// `lower` makes steps of the ops; tests give one whose steps fail.
std::shared_ptr<CpuExecutable> compile(const std::shared_ptr<Engine>& engine,
                                       const ir::Module& module,
                                       const runtime::CompileOptions& options,
                                       LowerBlock lower = lower_block);

}  // namespace cpu
}  // namespace systolic::inline v0
