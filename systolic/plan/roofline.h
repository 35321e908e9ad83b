// What bounds a program on a TPU core: its matrix units or its memory.
//
// Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model for
// multicore architectures", 2009. Peaks are those of the generation (runtime/tpu_kind.h), in bf16,
// which matrix units also multiply f32 in by default. Work is the compiler's own count; the network
// between cores is left out.
#pragma once

#include <optional>

#include "systolic/runtime/tpu_compiler.h"
#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {
namespace plan {

struct Roofline {
  double flops = 0, bytes = 0;                     // of one core in one step
  double compute_seconds = 0, memory_seconds = 0;  // each by itself, at its peak

  bool bound_by_memory() const { return memory_seconds > compute_seconds; }
  // A step takes at least that long.
  double seconds() const { return bound_by_memory() ? memory_seconds : compute_seconds; }
  // The share of the matrix units' peak that a step can reach at most, 0 to 1.
  double utilization() const { return seconds() > 0 ? compute_seconds / seconds() : 0; }
};

// None where the compiler counts neither operations nor bytes.
std::optional<Roofline> roofline(const TpuGeneration& generation,
                                 const runtime::TpuProgram& program);

}  // namespace plan
}  // namespace systolic::inline v0
