// What fit was given of a run that an earlier process began (FitOptions::run_state). Internal to
// train.
#pragma once

#include <vector>

#include "systolic/train/options/callback.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

class ResumedRun {
 public:
  explicit ResumedRun(const Example& run_state);

  // Whether that process did all steps of the epoch that comes; true once at most.
  bool takes_trained_epoch() { return std::exchange(epoch_is_trained_, false); }
  // After on_train_begin. True where there was a run: callbacks may have asked to stop it.
  bool load_callbacks(const std::vector<CallbackPtr>& callbacks) const;
  // The totals of the epoch that goes on, once: after its step was traced, or, where no step
  // remains, `without_step`. False where they are not known: metrics then count from here.
  bool load_metrics(ModelState& model, bool without_step = false);

 private:
  Example callbacks_, metrics_;
  bool known_ = false, epoch_is_trained_ = false;
};

}  // namespace systolic::inline v0
