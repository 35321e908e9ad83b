// Saves the model while it is trained (keras.callbacks.ModelCheckpoint).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/train/callbacks/watched_value.h"
#include "systolic/train/model/model.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {ModelCheckpoint{.filepath = "run/{epoch:02d}-{val_loss:.2f}.safetensors"}}
//   .callbacks = {ModelCheckpoint{.filepath = "best.safetensors",
//                                 .monitor = "val_accuracy", .save_best_only = true}}
//   model.load_weights("best.safetensors");
//   .callbacks = {ModelCheckpoint{.filepath = "run/{epoch:02d}.keras"}}
//   Model model = load_model("run/07.keras");
struct ModelCheckpoint {
  // "epoch" (the first is 1), what the logs hold, and "batch" with save_freq stand in braces, with
  // a format of Python's where one is wanted; "{{" is a brace. Folders are made. A name that is not
  // logged is a NotFound, a pattern that is none an InvalidArgument, both at `location`.
  std::string filepath;
  std::string monitor = "val_loss";
  // Only where what is monitored is better than ever before. Where it is not logged a line says so,
  // and the model is saved.
  bool save_best_only = false;
  // Else a path that ends in .keras or .h5 gets the whole model (Model::save), and every other what
  // the optimizer knows beside the weights: load_weights of a model that is compiled with that
  // optimizer takes it up. (To go on with the samples that remain, use BackupAndRestore.)
  bool save_weights_only = false;
  MonitorMode mode = MonitorMode::automatic;
  // Steps from one to the next, by the logs as they stand then; without one at the end of every
  // epoch.
  std::optional<int64_t> save_freq = {};
  // A value that the first that is saved must be better than.
  std::optional<double> initial_value_threshold = {};
  int verbose = 0;  // 1: a line for each file
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

namespace internal {

using SaveModel = void (*)(const Model& model, const std::string& path, SourceLocation location);
CallbackPtr model_checkpoint(const ModelCheckpoint& options, SaveModel save_model);

}  // namespace internal

// Whole models are written by a library that stands on this one: whoever asks for the callback
// brings it in.
inline ModelCheckpoint::operator CallbackPtr() const {
  return internal::model_checkpoint(*this, [](const Model& model, const std::string& path,
                                              SourceLocation at) { model.save(path, {}, at); });
}

}  // namespace systolic::inline v0
