// A TPU's own compiler in a child process (systolic/runtime/tpu_compiler.h).
#pragma once

#include "systolic/runtime/tpu_compiler.h"

namespace systolic::inline v0 {
namespace pjrt {

// Cores that a program is for.
struct CoreCounts {
  int64_t replicas = 1, partitions = 1;
};
// As the module's text declares; 1 where it does not.
CoreCounts declared_counts(std::string_view program);

// StableHLO text or bytecode. Groups of cores are not checked: naming others crashes the child.
runtime::TpuProgram compile_program_for_tpu(std::string_view program, const CoreCounts& cores,
                                            const runtime::TpuCompileOptions& options);
runtime::TpuProgram compile_text_for_tpu(std::string_view program,
                                         const runtime::TpuCompileOptions& options);
runtime::TpuProgram compile_module_for_tpu(const ir::Module& module,
                                           runtime::TpuCompileOptions options);

// Replicas or partitions that a module's text declares; 1 where it does not.
int64_t declared_count(std::string_view program, std::string_view attribute);

}  // namespace pjrt
}  // namespace systolic::inline v0
