// Lets a run that was ended go on (keras.callbacks.BackupAndRestore): a program that is started
// again, with the same model, data and callback, takes up the last backup and has the losses of one
// that was never ended, to the bit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   model.fit(train, {.epochs = 10, .callbacks = {BackupAndRestore{.backup_dir = "run"}}});
//
// The folder has one file, state.safetensors: the weights, what the optimizer knows, where layers
// that draw at random stand, and the place in the data with its shuffle buffers. A save that is cut
// short leaves the one before. Metrics of an epoch that is taken up amid count from there, and
// other callbacks begin anew. An epoch that was ended behind its last step is closed (validation,
// on_epoch_end), with NaN for the metrics of its training, which ended with the process; a run that
// was ended behind its last epoch calls on_train_begin and on_train_end. The model must be compiled
// and know its shapes (begin with an Input). A damaged file is a DataLoss, one of another model or
// another optimizer an InvalidArgument that lists the weights or else the optimizer's arrays that
// do not fit, one of another dataset a FailedPrecondition.
struct BackupAndRestore {
  std::string backup_dir;
  // Every so many steps; without one at the end of every epoch.
  std::optional<int64_t> save_freq = {};
  // When the last epoch is done, or a callback stopped the run; Ctrl-C leaves it.
  bool delete_checkpoint = true;
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
