// Evaluates and predicts with the averages of the weights (keras.callbacks.SwapEMAWeights), which
// an optimizer with use_ema keeps:
//
//   model.compile({.optimizer = SGD{.use_ema = true}, .loss = "mse"});
//   model.fit(train, {.validation_data = test, .callbacks = {SwapEMAWeights{}}});
//
// swap_on_epoch also swaps them at the end of each epoch, before other callbacks that stand after
// it save the model, and back at the start of the next. An optimizer without use_ema is a
// FailedPrecondition.
#pragma once

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

struct SwapEMAWeights {
  bool swap_on_epoch = false;

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
