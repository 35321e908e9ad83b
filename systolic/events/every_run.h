// Sinks that every run of the process has, without its being asked: the monitor's.
//
//   add_to_every_run([] { return std::make_shared<Watch>(); });
#pragma once

#include <functional>
#include <vector>

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

// Each run that begins from now on gets a sink of this function's, which is told at once, from
// RunBegin on. What it throws is a warning, and the run goes without it. Null: this run needs none.
// Thread-safe.
void add_to_every_run(std::function<EventSinkPtr()> make);

// Those of a run that begins. Internal to events.
std::vector<EventSinkPtr> sinks_of_every_run();

}  // namespace systolic::inline v0
