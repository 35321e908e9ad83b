// The seed of a random transformation: the user's, or one that is drawn when the transformation is
// created and is saved with an iterator.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "systolic/base/global_seed.h"
#include "systolic/data/random.h"
#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

class DrawnSeed {
 public:
  explicit DrawnSeed(std::optional<uint64_t> given)
      : given_(given.has_value()), seed_(given ? *given : draw_seed()) {}

  // Another key in each epoch and each iterator, unless told otherwise.
  uint64_t key(const Context& context, bool another_each_epoch = true) const {
    // In a dataset that a function makes while running, a drawn seed is that of the iterator, so
    // that it is the same when the function is called again after a restore.
    const bool of_run = !given_ && context.made_by != nullptr;
    const uint64_t seed = of_run ? context.run->seed() : seed_.load();
    return another_each_epoch ? random_at(seed, context.epoch) : seed;
  }
  void transfer(StateArchive& archive) const {
    uint64_t seed = seed_;
    archive.number(seed);
    if (!given_) seed_ = seed;
  }

 private:
  bool given_;
  mutable std::atomic<uint64_t> seed_;
};

}  // namespace data
}  // namespace systolic::inline v0
