// Which steps of a run are recorded, for FitOptions::profile and ProfileSink.
#pragma once

#include <cstdint>
#include <string>

namespace systolic::inline v0 {

// Steps, both ends among them: {10, 20} are eleven.
struct StepRange {
  int64_t first = 0, last = 0;
  friend bool operator==(const StepRange&, const StepRange&) = default;
};

struct ProfileOptions {
  // The first and the last step, counted from 1 over all epochs, as tf.keras's profile_batch does.
  // {0, 0}: none.
  StepRange steps = {};
  // "FOLDER/plugins/profile/RUN/HOST.xplane.pb" and "HOST.trace.json" are written; `tensorboard
  // --logdir FOLDER` finds them.
  std::string folder = "logs";
};

}  // namespace systolic::inline v0
