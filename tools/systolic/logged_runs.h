// The scalars that runs left in a logs folder, to compare them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tool {

// By tag, "epoch_loss", the points (step, value) in their order.
using LoggedScalars = std::map<std::string, std::vector<std::pair<int64_t, double>>>;

struct LoggedRun {
  std::string name;  // of its folder, "first/train"; "." for the logs folder itself
  LoggedScalars scalars;
};

// The runs whose event files (TensorBoard's) lie below the folder, by name. Files that are damaged
// or still written count as far as they are whole. Where a tag has more points than `most_points`,
// this many are left, the last among them. NotFound where there is no such folder.
std::vector<LoggedRun> read_logged_runs(const std::string& folder, size_t most_points = 512);

// {"runs": [{"name": "first/train", "scalars": {"epoch_loss": [[0, 0.25], ...]}}]}
std::string logged_runs_json(const std::vector<LoggedRun>& runs);

}  // namespace tool
