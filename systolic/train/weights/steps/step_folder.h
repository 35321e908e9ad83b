// Writes and removes the folders of step_checkpoints.h. Internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/train/weights/steps/step_checkpoints.h"
#include "systolic/train/weights/training_file.h"

namespace systolic::inline v0 {

// DIRECTORY/step_000100
std::string step_folder(const std::string& directory, int64_t step);
bool is_committed(const std::string& folder, SourceLocation location);

// By any thread. The folder is not a checkpoint until all of it is there; of one that is there
// already, as where an epoch ends that was saved after its last step, the file is replaced at once.
void write_step_checkpoint(const StepCheckpoint& one, TrainingSnapshot snapshot,
                           SourceLocation location);
// The part of another process than the first; before write_step_checkpoint(), which makes the
// folder a checkpoint.
void write_step_part(const StepCheckpoint& one, const TrainingSnapshot& snapshot,
                     const TrainingPart& part, SourceLocation location);
// FailedPrecondition where the other parts are not there, as in folders that hosts have for
// themselves.
void check_step_parts(const StepCheckpoint& one, int count, SourceLocation location);
void remove_step_checkpoint(const StepCheckpoint& one, SourceLocation location);
// Those that were never committed, as a writer that died leaves them.
void remove_unfinished_steps(const std::string& directory, SourceLocation location);

// Null where none has a value.
const StepCheckpoint* best_of(const std::vector<StepCheckpoint>& all);

}  // namespace systolic::inline v0
