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
// The folder has state.safetensors: the weights, what the optimizer knows, where layers that draw
// at random stand, the place in the data with its shuffle buffers, the totals of the metrics and
// what the other callbacks know (Callback::save_state). So a run that is taken up amid an epoch, or
// after its last step, has the logs of the one that was never ended, and callbacks decide as they
// would have. Wherever this one stands among the callbacks, it saves after they heard of the step
// or the epoch.
//
// Each array has a checksum. The file before is kept as previous.safetensors: where the last one is
// damaged, as a bit on the disk may be, that one is taken, and a warning says so; a save that is
// cut short leaves both. A fit that is interrupted (options/on_interrupt.h) is saved where it
// stands.
//
// One run has a folder at a time: while fit runs, owner.lock names its host and process, and a
// second run ends in a FailedPrecondition. The lock of a process that died is taken over. (On the
// local disk and NFS; other places, such as gs://, have no locks.) In a run of several processes
// process 0 writes and owns, and all read: the folder must be one that all hosts see, and the data
// is shared by row, with one place for all. Where one finds another state than process 0, all end
// in a FailedPrecondition that names it.
//
// The model must be compiled and know its shapes (begin with an Input). Where both files are
// damaged it is a DataLoss, a file of another model or another optimizer is an InvalidArgument that
// lists the weights or else the optimizer's arrays that do not fit, one of another pipeline a
// FailedPrecondition. Warnings say where compile() now gives another learning rate than that of the
// run, which goes on, and where files or arrays are others than those that the run read.
struct BackupAndRestore {
  std::string backup_dir;
  // Steps from one to the next; without it, one at the end of every epoch.
  std::optional<int64_t> save_freq = {};
  // Both files, when the last epoch is done, or a callback stopped the run; Ctrl-C leaves them.
  bool delete_checkpoint = true;
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
