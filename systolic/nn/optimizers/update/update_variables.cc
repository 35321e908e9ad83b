#include "systolic/nn/optimizers/update/update_variables.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/nn/optimizers/update/gradient_clipping.h"
#include "systolic/nn/optimizers/update/row_gradient.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The share of the rate by which values decay, and the variables that do.
class WeightDecay {
 public:
  WeightDecay(const OptimizerRule& rule, const std::vector<Variable>& variables)
      : rule_(rule), excluded_(rule.exclude_from_weight_decay) {
    for (const std::string& part : excluded_) {
      if (rule.weight_decay.value_or(0) != 0 && !variables.empty())
        say_where_no_name_has(part, rule.name, variables);
    }
  }

  // Before the update and by the rate, as Keras does.
  Tensor decayed(const Tensor& value, const Variable& variable, OptimizerStep& step) const {
    const double share = share_of(variable);
    if (share == 0 || is_excluded(variable)) return value;
    return value - value * step.scalar(str("decay ", share),
                                       [&] { return step.learning_rate_f32() * share; });
  }

 private:
  double share_of(const Variable& variable) const {
    const auto own = rule_.weight_decay_of ? rule_.weight_decay_of(variable) : rule_.weight_decay;
    return own.value_or(0);
  }
  bool is_excluded(const Variable& variable) const {
    return std::any_of(excluded_.begin(), excluded_.end(),
                       [&](const std::string& part) { return has(variable, part); });
  }
  static bool has(const Variable& variable, const std::string& part) {
    return variable.name().find(part) != std::string::npos;
  }
  // Lists hold the names of several kinds of models: no warning.
  static void say_where_no_name_has(const std::string& part, const std::string& optimizer,
                                    const std::vector<Variable>& variables) {
    if (std::any_of(variables.begin(), variables.end(),
                    [&](const Variable& one) { return has(one, part); }))
      return;
    publish_advice(LogLevel::info, str(optimizer, ": exclude_from_weight_decay has '", part,
                                       "', which is in no variable's name; they are such as '",
                                       variables.back().name(), "'"));
  }

  const OptimizerRule& rule_;
  std::vector<std::string> excluded_;
};

void update_all(OptimizerStep& step, const OptimizerRule& rule, const WeightDecay& decay,
                const Tensor& gradient, const Variable& variable, SourceLocation location) {
  step.at(variable);
  const Tensor value = decay.decayed(variable.value(location), variable, step);
  variable.assign(rule.update(step, gradient, value));
}

// `gradient` is `rows`, or what clipping made of it.
void update_rows(OptimizerStep& step, const OptimizerRule& rule, const WeightDecay& decay,
                 const RowGradient& rows, const Tensor& gradient, const Variable& variable,
                 SourceLocation location) {
  step.at(variable, rows.rows);
  const bool limited =
      rule.clipping.clipnorm || rule.clipping.global_clipnorm || rule.clipping.clipvalue;
  const Tensor own = limited ? gather(gradient, rows.rows) : rows.sums;
  const Tensor table = variable.value(location);
  const Tensor value = decay.decayed(gather(table, rows.rows), variable, step);
  variable.assign(scatter_update(table, rows.rows, rule.update(step, own, value)));
}

}  // namespace

void update_variables(OptimizerState& state, OptimizerStep& step,
                      const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                      SourceLocation location) {
  const OptimizerRule& rule = state.rule;
  const WeightDecay decay(rule, variables);
  const std::vector<Tensor> limited = clipped(gradients, rule.clipping);
  for (size_t i = 0; i < variables.size(); ++i) {
    const auto updates = rule.lazy_rows ? row_updates(gradients[i]) : std::nullopt;
    if (updates && updates->rows.size() == 0) continue;  // no row was looked up: none moves
    if (updates) {
      const RowGradient rows = sum_rows(*updates, variables[i].shape()[0]);
      update_rows(step, rule, decay, rows, limited[i], variables[i], location);
    } else {
      update_all(step, rule, decay, limited[i], variables[i], location);
    }
  }
}

}  // namespace systolic::inline v0
