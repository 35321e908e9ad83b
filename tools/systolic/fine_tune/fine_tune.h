// The one loop of all commands that fine-tune: opens the model, trains, evaluates, predicts, saves.
#pragma once

#include <iosfwd>

#include "tools/systolic/fine_tune/task.h"

namespace tool::fine_tune {

// AdamW, the learning rate falling to 0 by a line, gradients cut by their global norm: what
// transformers' Trainer does by default. Prints what is measured and writes it to output_dir.
int fine_tune(FineTuneTask& task, const Settings& settings, std::ostream& out);

}  // namespace tool::fine_tune
