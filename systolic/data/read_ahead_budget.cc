#include "systolic/data/read_ahead_budget.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace data {

ReadAheadBudget::Part::~Part() {
  if (!counts_) return;
  const std::lock_guard lock(budget_.mutex_);
  budget_.held_ -= held_;
  --budget_.parts_;
}

bool ReadAheadBudget::Part::hold(size_t bytes) {
  const auto wanted = static_cast<int64_t>(bytes);
  const std::lock_guard lock(budget_.mutex_);
  if (!counts_) ++budget_.parts_;
  counts_ = true;
  const int64_t all = budget_.held_ - held_ + wanted;
  // Those that came first may still hold what was theirs when they were fewer.
  const bool fits = wanted <= budget_.bytes_ / budget_.parts_ && all <= budget_.bytes_;
  if (wanted > held_ && !fits) return false;
  budget_.held_ = all;
  held_ = wanted;
  return true;
}

ReadAheadBudget::Use ReadAheadBudget::use() const {
  const std::lock_guard lock(mutex_);
  return {.held = held_, .kept = parts_ > 0 ? std::max(bytes_, held_) : 0};
}

}  // namespace data
}  // namespace systolic::inline v0
