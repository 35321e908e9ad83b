#include "systolic/base/global_seed.h"

#include <mutex>
#include <optional>
#include <random>

namespace systolic::inline v0 {
namespace {

struct Seeds {
  std::mutex mutex;
  std::optional<std::mt19937_64> generator;  // none: from the system
};

Seeds& seeds() {
  static auto& seeds = *new Seeds;  // never destroyed: threads may still draw at the end
  return seeds;
}

}  // namespace

void set_global_seed(uint64_t seed) {
  const std::lock_guard lock(seeds().mutex);
  seeds().generator.emplace(seed);
}

uint64_t draw_seed() {
  {
    const std::lock_guard lock(seeds().mutex);
    if (seeds().generator) return (*seeds().generator)();
  }
  return std::random_device{}() + (uint64_t{std::random_device{}()} << 32);
}

}  // namespace systolic::inline v0
