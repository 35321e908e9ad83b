// Who is told what a fit does: its callbacks, in Keras's order, and the events' stream. Internal to
// train.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/base/stopwatch.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/batches/step_input.h"
#include "systolic/train/loops/callback_list.h"
#include "systolic/train/loops/fit/epoch_cursor.h"
#include "systolic/train/loops/fit/fit_call.h"
#include "systolic/train/loops/fit/input_wait.h"
#include "systolic/train/step/step_losses.h"

namespace systolic::inline v0 {

class FitListeners {
 public:
  // `cursor` is where the fit stands when it tells them.
  FitListeners(const FitCall& call, EventStream& stream, const EpochCursor& cursor)
      : call_(call), stream_(stream), cursor_(cursor) {}

  // It begins once the first batch is there.
  bool run_has_begun() const { return callbacks_.has_value(); }
  // Once it has.
  const CallbackList& callbacks() const { return *callbacks_; }

  // For batches of this many rows.
  void begin_run(int64_t rows);
  void begin_epoch(int epoch);
  void begin_step(const StepInput& input);
  // `losses` are those of the steps, still on the device; `watch` ran since the steps began.
  void end_step(const StepInput& input, runtime::BufferPtr losses, const Stopwatch& watch);
  void end_epoch(const events::EpochEnd& end);
  // Where no epoch began, callbacks hear of no end.
  void end_training(const Logs& logs);
  // `out_of_time`: that, and no signal, interrupted it.
  void end_run(const events::RunEnd& end, const InputWait& wait, bool out_of_time);

 private:
  void tell_shapes(const StepInput& input);
  void publish_losses();

  const FitCall& call_;
  EventStream& stream_;
  const EpochCursor& cursor_;
  std::optional<CallbackList> callbacks_;
  std::vector<ir::Type> types_;  // of the step's arrays, as was told
  StepLosses losses_;
  std::vector<float> known_losses_;  // read, and still to be told
  int64_t known_step_ = 0;           // of the first of them
};

}  // namespace systolic::inline v0
