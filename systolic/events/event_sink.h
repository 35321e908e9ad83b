// Whoever wants to know of a run: a progress bar, a file, a monitor. Derive, and pass with
// FitOptions::event_sinks or to a TrainingRun.
//
//   struct Steps : EventSink {
//     void handle(const events::Moment& at, const Event& event) override {
//       if (std::holds_alternative<events::StepEnd>(event)) std::cout << at.step << "\n";
//     }
//   };
//   model.fit(train, {.event_sinks = {std::make_shared<Steps>()}});
#pragma once

#include <memory>

#include "systolic/events/event.h"

namespace systolic::inline v0 {

class EventSink {
 public:
  virtual ~EventSink() = default;
  // Never called twice at once. What it throws ends no run: it is logged as a warning, and the sink
  // gets nothing more.
  virtual void handle(const events::Moment& at, const Event& event) = 0;
  // In a run of several processes all are told the same: what writes or shows it hears it in
  // process 0 alone. True for one that keeps what it hears in its own process.
  virtual bool in_every_process() const { return false; }
};
// How options take a sink; a run keeps it until its end.
using EventSinkPtr = std::shared_ptr<EventSink>;

}  // namespace systolic::inline v0
