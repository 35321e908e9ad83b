// What a stage keeps in memory ahead of its reader, counted for reports and the memory budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

class HeldBytes {
 public:
  explicit HeldBytes(StageCounters& counters) : counters_(counters) {}
  ~HeldBytes() { set(0); }
  HeldBytes(const HeldBytes&) = delete;
  HeldBytes& operator=(const HeldBytes&) = delete;
  // One thread at a time.
  void set(size_t bytes) {
    const auto now = static_cast<int64_t>(bytes);
    counters_.held_bytes.fetch_add(now - std::exchange(last_, now), std::memory_order_relaxed);
  }
  void add(int64_t bytes) { set(static_cast<size_t>(last_ + bytes)); }

 private:
  StageCounters& counters_;
  int64_t last_ = 0;
};

}  // namespace data
}  // namespace systolic::inline v0
