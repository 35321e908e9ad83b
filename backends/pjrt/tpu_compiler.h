// A TPU's own compiler in a child process (systolic/runtime/tpu_compiler.h).
#pragma once

#include "systolic/runtime/tpu_compiler.h"

namespace systolic::inline v0 {
namespace pjrt {

runtime::TpuProgram compile_text_for_tpu(std::string_view program,
                                         const runtime::TpuCompileOptions& options);
runtime::TpuProgram compile_module_for_tpu(const ir::Module& module,
                                           runtime::TpuCompileOptions options);

// Replicas or partitions that a module's text declares; 1 where it does not.
int64_t declared_count(std::string_view program, std::string_view attribute);

}  // namespace pjrt
}  // namespace systolic::inline v0
