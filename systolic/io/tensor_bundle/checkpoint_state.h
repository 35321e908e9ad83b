// The file "checkpoint" of a folder of TensorFlow's checkpoints, which names the last one
// (tensorflow/python/training/checkpoint_state.proto, as text).
//
//   model.load_weights(latest_checkpoint("run"));
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

struct CheckpointState {
  // Prefixes of checkpoints, within the folder: "run/ckpt-3" of the folder "run".
  std::string latest;
  std::vector<std::string> all;    // the oldest first
  std::vector<double> timestamps;  // of each, in seconds since 1970; none where the file has none
  double last_preserved = 0;       // when one was last kept for good; 0: never
};

// Nothing where there is no such file. What is damaged, and a name outside of the folder, is a
// DataLoss; files of more than 16 MiB, too.
std::optional<CheckpointState> read_checkpoint_state(
    const std::string& folder, SourceLocation location = SourceLocation::current());

// With names relative to the folder. Atomic.
void write_checkpoint_state(const std::string& folder, const CheckpointState& state,
                            SourceLocation location = SourceLocation::current());

}  // namespace io

// The prefix of the last checkpoint of a folder (tf.train.latest_checkpoint): what "checkpoint"
// names, where its index is there. Empty where there is none.
std::string latest_checkpoint(const std::string& folder,
                              SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
