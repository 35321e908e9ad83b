// The loss and metrics of a model, which live on the device, as numbers with their names. Internal
// to train.
#pragma once

#include <optional>
#include <string_view>

#include "systolic/events/logs.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// Which way a value of that name improves; nothing where its metric does not say, or where it is
// none of the model's. "val_" in front makes no difference.
struct LogDirection {
  bool known_name = false;
  std::optional<bool> larger_is_better = {};
};
LogDirection log_direction(const ModelState& model, std::string_view name);
// Whether steps of training log a value of that name.
bool is_logged(const ModelState& model, std::string_view name);

// As they stand. Waits for the steps before.
Logs read_logs(ModelState& model);
// Their names, each with a NaN: of an epoch whose steps are not known.
Logs unknown_logs(const ModelState& model);
// Before steps of that kind, whose logs are read from then on.
void reset_logs(ModelState& model, StepKind kind = StepKind::train);
// The mean loss and compile's metrics, within a trace, under the names that they have in logs.
StepLogs metric_results(const ModelState& model);

}  // namespace systolic::inline v0
