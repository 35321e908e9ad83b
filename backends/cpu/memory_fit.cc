#include "backends/cpu/memory_fit.h"

#include <algorithm>

#include "backends/cpu/buffer.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool splits_work(const Signature& signature) {
  return std::any_of(signature.arguments.begin(), signature.arguments.end(), [](const auto& entry) {
    return entry.stacked || shards(entry.parameter.sharding) > 1;
  });
}

}  // namespace

int64_t Signature::Entry::core_bytes() const {
  const int64_t split = shards(parameter.sharding);
  return (type.bytes() + split - 1) / split;
}

runtime::MemoryStats memory_per_core(const Plan& plan, const Signature& signature) {
  runtime::MemoryStats stats;
  for (const auto& argument : signature.arguments) {
    stats.arguments += argument.core_bytes();
    if (argument.parameter.aliases_result) stats.aliased += argument.core_bytes();
    if (argument.parameter.role == ir::Role::parameter) stats.parameters += argument.core_bytes();
    if (argument.parameter.role == ir::Role::optimizer_state)
      stats.optimizer_state += argument.core_bytes();
  }
  for (const auto& result : signature.results) stats.results += result.core_bytes();
  const int64_t split = splits_work(signature) ? signature.cores : 1;
  stats.temporaries = (plan.arena_bytes + plan.prepared_bytes + split - 1) / split;
  stats.activations = (plan.waiting_bytes + split - 1) / split;
  return stats;
}

void check_memory(const runtime::MemoryStats& stats, const TpuKind& kind,
                  std::string_view program) {
  const int64_t memory = kind.generation.memory_bytes_per_core;
  if (stats.peak() <= memory) return;
  const int64_t others = stats.arguments - stats.parameters - stats.optimizer_state;
  const bool weights_alone = stats.parameters + stats.optimizer_state > memory;
  raise<ResourceExhausted>(
      {.what = str(program, " needs ", bytes_text(stats.peak()),
                   " on each core: ", bytes_text(stats.parameters), " parameters, ",
                   bytes_text(stats.optimizer_state), " optimizer state, ", bytes_text(others),
                   " inputs and metrics, ", bytes_text(stats.results - stats.aliased), " results, ",
                   bytes_text(stats.activations), " activations, ",
                   bytes_text(stats.temporaries - stats.activations), " temporaries"),
       .wanted = str("at most ", bytes_text(memory), ", the memory of a ",
                     kind.generation.device_kind, " core"),
       .hint = weights_alone
                   ? "the weights alone do not fit: use smaller layers, or a TPU with more memory"
                   : "use a smaller batch per core, more cores, mixed_bfloat16, or a TPU with more "
                     "memory"});
}

}  // namespace cpu
}  // namespace systolic::inline v0
