// How often a loop runs whose counter starts at a constant, grows by one, and is compared with
// another: what JAX's fori_loop and scan, and our own loops over steps, become.
#pragma once

#include <optional>

#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// How often a while op runs its body; nothing where that depends on what it computes.
std::optional<int64_t> trip_count(const Planner& planner, const ir::Op& loop);

}  // namespace cpu
}  // namespace systolic::inline v0
