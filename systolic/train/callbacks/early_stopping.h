// Stops when a logged value no longer improves (keras.callbacks.EarlyStopping).
#pragma once

#include <optional>
#include <string>

#include "systolic/train/callbacks/watched_value.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {EarlyStopping{.patience = 2, .restore_best_weights = true}}
struct EarlyStopping {
  std::string monitor = "val_loss";
  double min_delta = 0;
  int patience = 0;  // epochs without improvement that are let pass
  MonitorMode mode = MonitorMode::automatic;
  bool restore_best_weights = false;
  int start_from_epoch = 0;
  // Only values that are better than this count as improvements to wait for.
  std::optional<double> baseline = {};
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
