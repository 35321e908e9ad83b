// What the first line of fit says about the batch.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/runtime/tpu_kind.h"

namespace systolic::inline v0 {

// "global batch 200 = 8 × 25 (v3-8); ..." with the rows that a core pads, and what the TPU guides
// advise.
std::string batch_advice(int64_t global_batch, int64_t replicas, const TpuKind& kind);

}  // namespace systolic::inline v0
