#include "systolic/nn/optimizers/schedules/learning_rate.h"

#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/nn/config/choice_rows.h"
#include "systolic/nn/optimizers/schedules/cosine_decay.h"
#include "systolic/nn/optimizers/schedules/cosine_decay_restarts.h"
#include "systolic/nn/optimizers/schedules/exponential_decay.h"
#include "systolic/nn/optimizers/schedules/inverse_time_decay.h"
#include "systolic/nn/optimizers/schedules/piecewise_constant_decay.h"
#include "systolic/nn/optimizers/schedules/polynomial_decay.h"
#include "systolic/nn/optimizers/schedules/warm_up.h"

namespace systolic::inline v0 {
namespace {

struct ScheduleRow {
  std::string_view kind;
  LearningRate (*from_fields)(const Config& values);
};

template <class Spec>
constexpr ScheduleRow schedule_row() {
  return {Spec::kind, [](const Config& values) { return LearningRate(spec_from<Spec>(values)); }};
}

constexpr ScheduleRow schedule_rows[] = {
    schedule_row<CosineDecay>(),      schedule_row<ExponentialDecay>(),
    schedule_row<PolynomialDecay>(),  schedule_row<PiecewiseConstantDecay>(),
    schedule_row<WarmUp>(),           schedule_row<CosineDecayRestarts>(),
    schedule_row<InverseTimeDecay>(),
};

}  // namespace

Config LearningRate::config() const {
  if (!schedule_) return value_;
  if (schedule_->config.is_null()) internal::raise_without_fields("learning rate", "schedule");
  return schedule_->config;
}

LearningRate LearningRate::from_config(const Config& config) {
  if (!config.is_map()) return config.number();
  return row_of_kind(schedule_rows, "learning rate schedule", config, {})
      .from_fields(config["config"]);
}

}  // namespace systolic::inline v0
