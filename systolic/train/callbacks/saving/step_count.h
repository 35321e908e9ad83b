// Which steps of a run are the n-th. Internal to callbacks.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

// Counts the steps of executions, of which on_train_batch_begin tells the first and
// on_train_batch_end the last: a run that is taken up amid an epoch begins with another than 0.
class StepCount {
 public:
  // Without `every` no step counts.
  StepCount(std::optional<int64_t> every, SourceLocation location) : every_(every) {
    if (!every || *every > 0) return;
    raise<InvalidArgument>({.what = str("save_freq = ", *every),
                            .wanted = "a number of steps, or none for every epoch",
                            .location = location});
  }
  bool counts() const { return every_.has_value(); }
  // Steps since the n-th.
  int64_t since() const { return since_; }
  void set_since(int64_t steps) { since_ = steps; }
  void begin(int64_t step) { first_ = step; }
  // True at the n-th step since the last, or at the end of the execution that holds it.
  bool at(int64_t step) {
    if (!every_) return false;
    since_ += step - first_ + 1;
    if (since_ < *every_) return false;
    since_ = 0;
    return true;
  }

 private:
  std::optional<int64_t> every_;
  int64_t first_ = 0, since_ = 0;
};

}  // namespace systolic::inline v0
