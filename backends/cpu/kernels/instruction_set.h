// Which vector instructions the kernels use, and on which processor.
#pragma once

namespace systolic::inline v0 {
namespace kernels {

// Kernels take the best instructions of the processor. SYSTOLIC_ISA in the environment sets a
// bound: avx2, or avx512 (without AMX and bf16 products); anything else but emulated_amx is an
// InvalidArgument. Call it before the first kernel; later calls do nothing.
void limit_instruction_set();

// Whether SYSTOLIC_ISA is emulated_amx, for tests of what a matrix unit computes on processors that
// have none: code then does what its instructions would, slowly, where there is AVX512-BF16;
// elsewhere it counts as unset.
bool emulates_amx();

// Whose processor it is: where one instruction or library pays on Intel's alone, or on all others.
bool is_intel();

}  // namespace kernels
}  // namespace systolic::inline v0
