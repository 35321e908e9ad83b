// Lowers the learning rate when a logged value no longer improves
// (keras.callbacks.ReduceLROnPlateau).
#pragma once

#include <string>

#include "systolic/train/callbacks/watched_value.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {ReduceLROnPlateau{.factor = 0.2, .patience = 5, .min_lr = 1e-5}}
struct ReduceLROnPlateau {
  std::string monitor = "val_loss";
  double factor = 0.1;  // in (0, 1): what the rate is multiplied by
  int patience = 10;    // epochs without improvement that are let pass
  MonitorMode mode = MonitorMode::automatic;
  double min_delta = 1e-4;
  int cooldown = 0;  // epochs after a reduction in which none count
  double min_lr = 0;
  int verbose = 0;  // 1: a line for each reduction
  // Where a rate follows a schedule fit ends in a FailedPrecondition at this line.
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
