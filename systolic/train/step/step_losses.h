// The losses of the steps, read from the device as soon as they are computed, so that whoever is
// told of them has the last ones where a run dies. Reading never makes the device wait: what it
// still computes is read with a later step.
#pragma once

#include <deque>
#include <vector>

#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {

class StepLosses {
 public:
  // `losses` [steps per execution], of which the first `steps` are real. Those that are known by
  // now are appended to `to`, in the steps' order.
  void add(runtime::BufferPtr losses, int64_t steps, std::vector<float>& to);
  void read_all(std::vector<float>& to);

 private:
  struct Pending {
    runtime::BufferPtr losses;
    int64_t steps;
  };
  static bool is_computed(const Pending& pending);
  void read_oldest(std::vector<float>& to);
  std::deque<Pending> pending_;
};

}  // namespace systolic::inline v0
