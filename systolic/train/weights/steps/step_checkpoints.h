// The checkpoints of a run of fit (callbacks/saving/training_checkpoint.h), each in a folder of its
// own:
//
//   run/step_000100/state.safetensors    weights, and all else that the run knows
//   run/step_000100/commit_success.txt   written last: without it the folder is not a checkpoint
//
// Several processes write their shares of the arrays beside it (state-00001-of-00002.safetensors),
// which are read with it, by any number of processes.
//
// Several processes write their shares of the arrays beside it (state-00001-of-00002.safetensors),
// which are read with it, by any number of processes.
//
//   const StepCheckpoint best = best_checkpoint("run");
//   model.load_weights(best.file());
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

struct StepCheckpoint {
  std::string path;  // the folder
  int64_t step = 0;  // done in the run
  // What the run monitors, as it was then; nothing where it was not logged.
  std::optional<double> value = {};
  bool larger_is_better = false;

  // With the weights, which Model::load_weights reads.
  std::string file() const;
};

// The whole ones in the folder of a run, the first steps first; none where there is no such folder.
std::vector<StepCheckpoint> step_checkpoints(const std::string& directory,
                                             SourceLocation location = SourceLocation::current());
// The one with the best value, the later one of equals. NotFound where none has a value.
StepCheckpoint best_checkpoint(const std::string& directory,
                               SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
