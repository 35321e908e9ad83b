// What sinks of events may ask of the model that a run trains. The first is for loops of one's own,
// too (TrainingRunOptions::read_weights); the rest is internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/events/event.h"
#include "systolic/nn/network/network.h"

namespace systolic::inline v0 {

// The weights of a network that is built, by the paths that they have in Keras: those of a
// Sequential begin with its name, "small/dense/kernel". Read from the device on the thread that
// trains.
//
//   TrainingRun run({.read_weights = [&] { return named_values(model.network()); }});
std::vector<events::NamedValues> named_values(const Network& network);

// The network as Keras's JSON; "" where that has no word for a layer, or before
// write_model_json_by() has named who writes it.
std::string model_json(const Network& network);
using ModelJsonWriter = std::string (*)(const Network&);
void write_model_json_by(ModelJsonWriter writer);

}  // namespace systolic::inline v0
