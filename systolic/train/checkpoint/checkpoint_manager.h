// Keeps the last checkpoints of a loop of one's own (tf.train.CheckpointManager).
//
//   CheckpointManager manager(checkpoint, "run", {.max_to_keep = 3});
//   manager.restore_or_initialize();
//   for (; epoch < 10; ++epoch) {
//     ...
//     manager.save();                    // run/ckpt-1, run/ckpt-2, ...
//   }
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "systolic/train/checkpoint/checkpoint.h"

namespace systolic::inline v0 {

struct CheckpointManagerOptions {
  // Checkpoints that stay, the last ones. Nothing: all.
  std::optional<int64_t> max_to_keep = 5;
  // One for this many hours stays for good, out of those that would go.
  std::optional<double> keep_checkpoint_every_n_hours = {};
  // The files are called so, and a number: "ckpt-3".
  std::string checkpoint_name = "ckpt";
  // With both, save() does nothing until the counter has grown by as much since the last save.
  std::function<int64_t()> step_counter = {};
  // Steps between two saves.
  std::optional<int64_t> checkpoint_interval = {};
  // Called by restore_or_initialize() where there is no checkpoint.
  std::function<void()> init_fn = {};
  // save() copies the values and returns; a thread writes. What it could not write is raised by the
  // next save() or by wait().
  bool asynchronous = false;
};

// One run writes a folder at a time: from the first save() on, owner.lock names its host and
// process, and a second run's save() is a FailedPrecondition. (On the local disk and NFS.)
class CheckpointManager {
 public:
  // Reads the folder's file "checkpoint", so that what an earlier run left counts.
  CheckpointManager(Checkpoint checkpoint, std::string directory,
                    CheckpointManagerOptions options = {},
                    SourceLocation location = SourceLocation::current());
  // Waits for what is being written; an error of it is a warning.
  ~CheckpointManager();
  CheckpointManager(const CheckpointManager&) = delete;
  CheckpointManager& operator=(const CheckpointManager&) = delete;

  // Writes DIRECTORY/ckpt-N, where N counts saves or is as given, names it in "checkpoint", and
  // removes the oldest ones beyond max_to_keep. Gives the path; empty where it is not time yet.
  std::string save(std::optional<int64_t> checkpoint_number = {},
                   SourceLocation location = SourceLocation::current());
  // Restores the last one and gives its path; else calls init_fn and gives an empty one.
  std::string restore_or_initialize(SourceLocation location = SourceLocation::current());

  // What is on the disk, after what is being written. Empty where there is none.
  std::string latest_checkpoint() const;
  // The oldest first; those that are kept for good by their hours are not among them.
  std::vector<std::string> checkpoints() const;
  const std::string& directory() const;
  Checkpoint& checkpoint() const;
  // Until all is written.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systolic::inline v0
