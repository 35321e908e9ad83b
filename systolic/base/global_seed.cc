#include "systolic/base/global_seed.h"

#include <mutex>
#include <optional>
#include <random>
#include <utility>

namespace systolic::inline v0 {
namespace {

using Generator = std::optional<std::mt19937_64>;  // none: from the system

struct Seeds {
  std::mutex mutex;
  Generator of_pipelines, of_iterators;
  std::function<std::optional<uint64_t>()> find_of_run;  // not asked yet

  void begin(uint64_t seed) {
    constexpr uint64_t other = 0x9e3779b97f4a7c15;  // any: another sequence
    of_pipelines.emplace(seed);
    of_iterators.emplace(seed ^ other);
    find_of_run = nullptr;
  }
  void ask_for_run() {
    if (!find_of_run) return;
    const std::optional<uint64_t> seed = std::exchange(find_of_run, nullptr)();
    if (seed) begin(*seed);
  }
};

Seeds& seeds() {
  static auto& seeds = *new Seeds;  // never destroyed: threads may still draw at the end
  return seeds;
}

uint64_t draw(Generator Seeds::*which) {
  {
    const std::lock_guard lock(seeds().mutex);
    seeds().ask_for_run();
    if (Generator& generator = seeds().*which) return (*generator)();
  }
  return std::random_device{}() + (uint64_t{std::random_device{}()} << 32);
}

}  // namespace

void set_global_seed(uint64_t seed) {
  const std::lock_guard lock(seeds().mutex);
  seeds().begin(seed);
}

void set_seed_of_run(std::function<std::optional<uint64_t>()> find) {
  const std::lock_guard lock(seeds().mutex);
  if (!seeds().of_pipelines) seeds().find_of_run = std::move(find);
}

uint64_t draw_seed() { return draw(&Seeds::of_pipelines); }
uint64_t draw_iterator_seed() { return draw(&Seeds::of_iterators); }

}  // namespace systolic::inline v0
