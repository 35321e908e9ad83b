// Steps of processes that each read rows of their own: before each they tell each other how many
// they have, so that all know which rows only pad, and end together. Internal to train.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/cluster/coordination.h"
#include "systolic/train/batches/step_input.h"

namespace systolic::inline v0 {

class SharedSteps {
 public:
  // All processes of the run make one at the same point of the program.
  explicit SharedSteps(std::shared_ptr<cluster::Coordination> run);

  // What each process says of itself, by process index.
  std::vector<std::string> gather(const std::string& own) const;

  // This process's rows, as StepFeed gives them; nothing where it has no more. The step that all
  // take, in which this process's part only pads where it had none; nothing once nobody has any. A
  // process that never had rows cannot take part.
  std::optional<StepInput> together(std::optional<StepInput> own);
  // What pads the steps of a process that had its last rows in an earlier run.
  void pad_with(StepInput input) { last_ = std::move(input); }

 private:
  const std::shared_ptr<cluster::Coordination> run_;
  const std::string name_;
  std::optional<StepInput> last_;  // its arrays fill the steps for which there are no others
};

}  // namespace systolic::inline v0
