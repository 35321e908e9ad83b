// Runs a module on the software TPU with a pool of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"

namespace systolic {

struct PlanSummary {
  std::string text;  // Plan::text()
  int64_t arena_bytes = 0;
  double moved_bytes = 0;  // that steps read and write
};
PlanSummary plan_summary(int threads, const ir::Module& module);

// On `threads` threads and numbers of its own, the same each time.
std::vector<Literal> run_with(int threads, const ir::Module& module);

bool same_bits(const Literal& a, const Literal& b);

}  // namespace systolic
