// The events of one run, on their way to its sinks. While a stream lives it is that of its thread:
// what is published there goes to it, also from code that knows nothing of the run.
//
//   EventStream stream;  // fit, evaluate and TrainingRun have one
//   stream.add(sink);
//   publish(events::CheckpointWritten{.path = "run/7"});  // anywhere below, on this thread
//
// The log is the first sink of each, and the only one of what is published outside of a run.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

class BackgroundSink;

class EventStream {
 public:
  EventStream();
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  // Told at once, on the thread of the run, in the order in which they were added; not at all in
  // processes where it is not to be told (EventSink::in_every_process). A null pointer is an
  // InvalidArgument.
  void add(EventSinkPtr sink);
  // Told on a thread of its own, within a tenth of a second, so that a slow one does not slow the
  // steps. Where it does not keep up, it misses step_end, loss_known and evaluation_step, which is
  // said, and nothing else. The stream's end waits until it has heard all.
  void add_in_background(EventSinkPtr sink);

  void publish(const Event& event);
  const events::Moment& moment() const { return moment_; }
  // Steps count from here: of a run that goes on where another ended.
  void set_step(int64_t step) { moment_.step = step; }

 private:
  struct Listener {
    EventSinkPtr sink;
    bool failed = false;
  };
  void advance(const Event& event);

  events::Moment moment_;
  // Whether it is to be told once, and was.
  bool was_said(const Event& event);

  std::vector<Listener> listeners_;
  std::set<std::string> said_;  // what is to be told once
  EventStream* const outer_;    // that of the thread before
};

// To the stream of this thread; outside of a run to the log alone.
void publish(const Event& event);

// Adds a sink to the stream of this thread, told at once from now on; outside of a run it hears of
// nothing. Not while an event is told.
void add_to_run(EventSinkPtr sink);

// Tells people as a warning; `once` as in events::Line.
void publish_warning(std::string text, bool once = false);
// Tells people, once, what is likely to be a mistake (a warning) or worth a look (info).
void publish_advice(LogLevel level, std::string text);

// Tells the sink. False where it threw: that is logged, and it is to be told nothing more.
bool tell(EventSink& sink, const events::Moment& at, const Event& event);

}  // namespace systolic::inline v0
