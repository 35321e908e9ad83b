// Shows what events say to people in the log (base/log.h). Internal to events.
#pragma once

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

class EventLog : public EventSink {
 public:
  void handle(const events::Moment& /*at*/, const Event& event) override {
    const events::Line* line = line_of(event);
    if (line == nullptr) return;
    line->once ? log_once(line->level, line->text) : log(line->level, line->text);
  }
  bool in_every_process() const override { return true; }
};

}  // namespace systolic::inline v0
