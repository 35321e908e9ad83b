// From a module to a program: passes, lowering, the plan.
#pragma once

#include <memory>

#include "backends/cpu/engine.h"
#include "backends/cpu/executable.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace cpu {

std::shared_ptr<CpuExecutable> compile(const std::shared_ptr<Engine>& engine,
                                       const ir::Module& module,
                                       const runtime::CompileOptions& options);

}  // namespace cpu
}  // namespace systolic::inline v0
