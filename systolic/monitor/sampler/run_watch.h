// Hears what a run says of itself, and keeps what its status shows. What comes with every step is
// a few stores: no lock, no allocation, no system call.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>

#include "systolic/events/event_sink.h"
#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

class RunWatch : public EventSink {
 public:
  // `changed` is called when something happened that is to be shown at once: the run began, ended,
  // or an epoch did.
  explicit RunWatch(std::function<void()> changed);

  void handle(const events::Moment& at, const Event& event) override;
  bool in_every_process() const override { return true; }

  // What it has heard so far. Thread-safe.
  RunFacts facts() const;

 private:
  template <class Other>
  void on(const events::Moment& /*at*/, const Other& /*event*/) {}
  void on(const events::Moment& at, const events::RunBegin& begin);
  void on(const events::Moment& at, const events::EpochBegin& begin);
  void on(const events::Moment& at, const events::StepEnd& end);
  void on(const events::Moment& at, const events::LossKnown& known);
  void on(const events::Moment& at, const events::EpochEnd& end);
  void on(const events::Moment& at, const events::EvaluationBegin& begin);
  void on(const events::Moment& at, const events::EvaluationStep& step);
  void on(const events::Moment& at, const events::EvaluationEnd& end);
  void on(const events::Moment& at, const events::Compilation& compilation);
  void on(const events::Moment& at, const events::Recompilation& recompilation);
  void on(const events::Moment& at, const events::Failure& failure);
  void on(const events::Moment& at, const events::RunEnd& end);
  void end(const events::Moment& at, RunState state);
  void tell_of(const events::Moment& at, const Event& event);
  void add_happening(double time, std::string_view kind, std::string_view text);

  const std::function<void()> changed_;
  // What comes with every step.
  std::atomic<int64_t> steps_ = 0, samples_ = 0, step_in_epoch_ = 0, validation_steps_ = 0,
                       loss_step_ = -1;
  std::atomic<float> loss_ = unknown;
  std::atomic<double> step_milliseconds_ = 0, last_step_time_ = 0;
  mutable std::mutex mutex_;
  RunFacts told_;  // the rest
};

}  // namespace monitor
}  // namespace systolic::inline v0
