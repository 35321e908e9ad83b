#include "systolic/train/step/own_step_call.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/train/step/step_logs.h"
#include "systolic/train/step/step_metrics.h"
#include "systolic/train/step/step_outputs.h"

namespace systolic::inline v0 {
namespace {

class OwnStepCall : public StepCall {
 public:
  OwnStepCall(const ModelState& model, const StepTensors& step) : model_(model), step_(step) {}

  const std::vector<Tensor>& x() const override { return step_.inputs; }
  const std::vector<Tensor>& y() const override { return step_.labels; }
  const std::vector<Tensor>& sample_weight() const override { return step_.weights; }

  std::vector<Tensor> call(bool training) override {
    predicted_ = call_network(model_, step_, training);
    losses_.reset();
    std::vector<Tensor> outputs;
    for (const Predictions& one : predicted_->outputs) outputs.push_back(one.values);
    return outputs;
  }
  Tensor compute_loss() override { return losses("compute_loss").total; }
  void apply_gradients(const std::vector<Tensor>& gradients) override {
    model_.compiled().optimizer->apply_gradients(gradients, model_.network().trainable_variables());
  }
  StepLogs compute_metrics() override {
    const ComputedLosses& losses = this->losses("compute_metrics");
    update_metrics(model_, step_, *predicted_, losses);
    return metric_results(model_);
  }

 private:
  const ComputedLosses& losses(const char* what) {
    if (!predicted_) {
      raise<FailedPrecondition>({.what = str(what, "() before call() in a step of one's own"),
                                 .hint = "step.call(true) calls the model on step.x()"});
    }
    if (!losses_) losses_ = compute_losses(model_, step_.labels, *predicted_);
    return *losses_;
  }

  const ModelState& model_;
  const StepTensors& step_;
  std::optional<StepOutputs> predicted_;
  std::optional<ComputedLosses> losses_;
};

Variable log_variable(BoundStep& own, const std::string& name) {
  for (const auto& [known, variable] : own.logs) {
    if (known == name) return variable;
  }
  const Variable made(
      DType::f32, {}, [] { return Literal::scalar(0.f); },
      {.name = str("logs/", name), .trainable = false, .role = ir::Role::other_state});
  own.logs.emplace_back(name, made);
  return made;
}

Tensor logged_value(const std::string& name, const Tensor& value) {
  if (value.size() == 1) return reshape(cast(value, DType::f32), {});
  raise<InvalidArgument>(
      {.what = str("a step of one's own logs '", name, "' of shape ", value.shape()),
       .wanted = "a scalar",
       .hint = "fold it with mean or sum"});
}

}  // namespace

Tensor run_own_step(const ModelState& model, BoundStep& own, const StepTensors& step) {
  OwnStepCall call(model, step);
  std::optional<Tensor> loss;
  for (const auto& [name, value] : own.call(call)) {
    const Tensor scalar = logged_value(name, value);
    log_variable(own, name).assign(scalar);
    if (!loss || name == "loss") loss = scalar;
  }
  return loss.value_or(constant(0.f));
}

}  // namespace systolic::inline v0
