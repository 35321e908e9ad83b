// Sets the learning rate at the start of each epoch (keras.callbacks.LearningRateScheduler):
//
//   LearningRateScheduler([](int epoch, double rate) { return epoch < 10 ? rate : rate * 0.9; })
#pragma once

#include <functional>

#include "systolic/train/callbacks/callback.h"

namespace systolic::inline v0 {

// A rate that is no finite number, or below 0, is an InvalidArgument at `location`.
CallbackPtr LearningRateScheduler(std::function<double(int epoch, double rate)> schedule,
                                  SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
