#include "systolic/train/loops/fit/resumed_run.h"

#include "systolic/events/event_stream.h"
#include "systolic/train/options/callback_states.h"
#include "systolic/train/options/run_state.h"
#include "systolic/train/step/metric_totals.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {

ResumedRun::ResumedRun(const Example& run_state)
    : callbacks_(arrays_under(run_state::callbacks, run_state)),
      metrics_(arrays_under(run_state::metrics, run_state)),
      known_(!run_state.empty()),
      epoch_is_trained_(run_state.contains(run_state::epoch_is_trained)) {}

bool ResumedRun::load_callbacks(const std::vector<CallbackPtr>& callbacks) const {
  if (known_) load_callback_states(callbacks, callbacks_);
  return known_;
}

bool ResumedRun::load_metrics(ModelState& model, bool without_step) {
  const Example totals = std::exchange(metrics_, {});
  if (totals.empty()) return false;
  if (without_step) read_logs(model);  // makes totals
  if (load_metric_totals(model, totals)) return true;
  publish_warning(
      "the run that is taken up had other metrics: those of the epoch under way count from here.");
  return false;
}

}  // namespace systolic::inline v0
