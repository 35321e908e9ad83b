// Saves the model while it is trained (keras.callbacks.ModelCheckpoint).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/train/callbacks/monitor.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {ModelCheckpoint{.filepath = "run/{epoch:02d}-{val_loss:.2f}.safetensors"}}
//   .callbacks = {ModelCheckpoint{.filepath = "best.safetensors",
//                                 .monitor = "val_accuracy", .save_best_only = true}}
//   model.load_weights("best.safetensors");
struct ModelCheckpoint {
  // "epoch" (the first is 1), what the logs hold, and "batch" with save_freq stand in braces, with
  // a format of Python's where one is wanted; "{{" is a brace. Folders are made. A name that is not
  // logged is a NotFound, a pattern that is none an InvalidArgument, both at `location`.
  std::string filepath;
  std::string monitor = "val_loss";
  // Only where what is monitored is better than ever before. Where it is not logged a line says so,
  // and the model is saved.
  bool save_best_only = false;
  // Else what the optimizer knows is in the file, too, and load_weights of a model that is
  // compiled with that optimizer takes it up. (To go on with the samples that remain, use
  // BackupAndRestore.)
  bool save_weights_only = false;
  MonitorMode mode = MonitorMode::automatic;
  // Every so many steps, by the logs as they stand then; without one at the end of every epoch.
  std::optional<int64_t> save_freq = {};
  // A value that the first that is saved must be better than.
  std::optional<double> initial_value_threshold = {};
  int verbose = 0;  // 1: a line for each file
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
