// Writes each epoch's logs for TensorBoard (keras.callbacks.TensorBoard): scalars alone, no graphs,
// histograms or profiles.
#pragma once

#include <string>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {TensorBoard{.log_dir = "logs"}}        // then: tensorboard --logdir logs
//
// Under log_dir, as Keras has it: train/events.out.tfevents.* with "epoch_loss", "epoch_accuracy",
// ..., "epoch_learning_rate", and validation/ with the val_ twins under the same names, at the
// epoch's number, counted from 0. A fit writes files of its own, whole after every epoch.
// A file that cannot be written ends no training: one warning says so, and nothing more is written.
// A loop of your own takes it as a sink (events/training_run.h).
struct TensorBoard {
  std::string log_dir = "logs";
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;   // NOLINT: a new callback each time
  operator EventSinkPtr() const;  // NOLINT: a new sink each time
};

}  // namespace systolic::inline v0
