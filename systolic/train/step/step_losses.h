// The losses of the steps, read from the device some steps later, so that reading never makes it
// wait.
#pragma once

#include <deque>
#include <vector>

#include "systolic/runtime/buffer.h"

namespace systolic::inline v0 {

class StepLosses {
 public:
  // `losses` [steps per execution], of which the first `steps` are real. Old ones are appended to
  // `to`.
  void add(runtime::BufferPtr losses, int64_t steps, std::vector<float>& to);
  void read_all(std::vector<float>& to);

 private:
  struct Pending {
    runtime::BufferPtr losses;
    int64_t steps;
  };
  void read_oldest(std::vector<float>& to);
  std::deque<Pending> pending_;
};

}  // namespace systolic::inline v0
