// A run whose processes each read rows of their own, taken up by another number of them. Internal
// to train.
#pragma once

#include "systolic/train/options/fit_options.h"

namespace systolic::inline v0 {

// Nobody can read on from the places of another number of processes: the epoch that was under way
// begins anew, with its data and its metrics, which is said. Weights, optimizer and callbacks stay
// as they are. Leaves the options of any other fit alone.
void begin_epoch_of_other_processes(FitOptions& options);

}  // namespace systolic::inline v0
