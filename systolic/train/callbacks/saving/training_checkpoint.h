// Checkpoints of a run, from which it can be taken up (as keras.callbacks.OrbaxCheckpoint keeps
// them; the files are this library's own).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/train/callbacks/watched_value.h"
#include "systolic/train/options/callback.h"
#include "systolic/train/weights/steps/step_checkpoints.h"

namespace systolic::inline v0 {

//   model.fit(train, {.epochs = 10,
//                     .callbacks = {TrainingCheckpoint{.directory = "run", .save_freq = 100}},
//                     .resume = "auto",
//                     .stop_after = std::chrono::hours(9)});
//
// Each lies in a folder of its own, run/step_000100 (weights/steps/step_checkpoints.h), and has
// what BackupAndRestore keeps: weights, optimizer, random layers, the place in the data, metrics,
// other callbacks. So a run that is taken up has the losses of one that was never ended, to the
// bit; on another number of cores to rounding. A fit that is interrupted by a signal or by its
// stop_after is saved where it stands, and one that comes to its end, too.
//
// With `fit({.resume = "auto"})` a run goes on from its last good checkpoint, or begins where there
// is none. A damaged one is passed over with a warning; where all are, it is a DataLoss.
// `.resume = "run/step_000100"` names one. What would write over a run is a FailedPrecondition:
// without `resume` a directory that holds checkpoints, with it one that holds later ones.
//
// Training waits until its state is copied to the host, not for the disk: a thread writes, one
// checkpoint at a time, and the next one waits for it. What cannot be written (a full disk is a
// ResourceExhausted) ends the fit with that error, at the next step or at the end: earlier
// checkpoints are whole, as each one counts once its last, small file is there. What a run that
// died left unfinished is removed by the next one.
//
// One run writes a directory at a time, as with BackupAndRestore: owner.lock. In a run of several
// processes each writes its share of the arrays, process 0 the last, small file once all are there;
// a run of any number of processes goes on from it. Where each process reads rows of its own
// (docs/processes.md) its place in the data is in its part; another number of processes then begins
// the epoch that was under way anew.
struct TrainingCheckpoint {
  std::string directory;
  // Steps from one to the next; without it, one at the end of every epoch.
  std::optional<int64_t> save_freq = {};
  // Checkpoints that stay, the last ones. Nothing: all.
  std::optional<int64_t> max_to_keep = 5;
  // What logs call it, such as "val_loss": the best checkpoint by it stays besides, and
  // best_checkpoint("run") finds it. With save_freq by the logs of the step, as they stand then.
  std::string monitor = {};
  MonitorMode mode = MonitorMode::automatic;
  bool asynchronous = true;
  int verbose = 0;  // 1: a line for each checkpoint
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
