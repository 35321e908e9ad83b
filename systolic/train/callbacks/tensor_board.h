// Writes each epoch's logs for TensorBoard (keras.callbacks.TensorBoard): scalars alone, no graphs,
// histograms or profiles.
#pragma once

#include <string>

#include "systolic/train/callbacks/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {TensorBoard{.log_dir = "logs"}}        // then: tensorboard --logdir logs
//
// Under log_dir, as Keras has it: train/events.out.tfevents.* with "epoch_loss", "epoch_accuracy",
// ..., "epoch_learning_rate", and validation/ with the val_ twins under the same names, at the
// epoch's number, counted from 0. A fit writes files of its own, whole after every epoch.
struct TensorBoard {
  std::string log_dir = "logs";
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
