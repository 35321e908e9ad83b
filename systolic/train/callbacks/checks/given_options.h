// What compile() was given, as data: a run that is taken up says what is other than when it began.
// Internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/nn/config/config.h"
#include "systolic/train/state/compiled.h"

namespace systolic::inline v0 {

// {"optimizer": {...}, "loss": [...], "loss_weights": [...], "metrics": [...]}; of what is written
// in C++ and has no configuration the name. A learning rate that is a number is left out: it is a
// variable of the run, which goes on from the file.
Config given_options(const Compiled& compiled);

// A line for each option that differs: "optimizer.beta_1: 0.9, now 0.8"; of another class only
// that. `most` at the most, and how many there are besides.
std::vector<std::string> other_options(const Config& before, const Config& now, size_t most = 8);

}  // namespace systolic::inline v0
