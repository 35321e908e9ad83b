// Sets the learning rate at the start of each epoch (keras.callbacks.LearningRateScheduler):
//
//   LearningRateScheduler{[](int epoch, double rate) { return epoch < 10 ? rate : rate * 0.9; }}
#pragma once

#include <functional>

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

struct LearningRateScheduler {
  // Gives the rate of an epoch from the rate before. One that is not a finite number, or below 0,
  // is an InvalidArgument at `location`.
  std::function<double(int epoch, double rate)> schedule;
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
