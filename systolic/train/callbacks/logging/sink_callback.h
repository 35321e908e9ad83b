// A sink of events as a callback, for those that Keras has among the callbacks. Internal to
// callbacks.
#pragma once

#include <functional>
#include <string>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

// How the state of a sink is saved (callback.h), of one that has a state.
struct SinkState {
  std::string name = {};
  std::function<Example()> save = {};
  std::function<void(const Example&)> load = {};
};

// Tells the sink what the callback is told. What the sink throws is a warning, and it is told
// nothing more until the next fit begins.
CallbackPtr callback_for(EventSinkPtr sink, SinkState state = {});

}  // namespace systolic::inline v0
