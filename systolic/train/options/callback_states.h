// What callbacks know, as one Example, for files of a run: "EarlyStopping/best",
// "EarlyStopping/waited", and for the second of that name "EarlyStopping#2/best".
//
//   const Example states = callback_states(callbacks);   // in one process
//   load_callback_states(callbacks, states);             // in another, when training has begun
#pragma once

#include <string>
#include <vector>

#include "systolic/core/example.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

// The states of those that have one.
Example callback_states(const std::vector<CallbackPtr>& callbacks);

// Gives each callback its own. Warns of callbacks that have a state and find none, and of states
// that nobody takes: what such a callback knew is lost, and the run goes on.
void load_callback_states(const std::vector<CallbackPtr>& callbacks, const Example& states);

// The arrays whose names begin with `prefix`, without it; and all with it in front.
Example arrays_under(const std::string& prefix, const Example& arrays);
void add_under(const std::string& prefix, const Example& arrays, Example& all);

}  // namespace systolic::inline v0
