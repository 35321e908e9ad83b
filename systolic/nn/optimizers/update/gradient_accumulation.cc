#include "systolic/nn/optimizers/update/gradient_accumulation.h"

#include <cstdint>

#include "systolic/base/error.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"

namespace systolic::inline v0 {

void check_accumulation(const OptimizerRule& rule, SourceLocation location) {
  const int64_t batches = rule.gradient_accumulation_steps;
  if (batches < 1 || batches > INT32_MAX) {
    raise<InvalidArgument>({.what = str(rule.name, ": gradient_accumulation_steps is ", batches),
                            .wanted = str("1 to ", INT32_MAX, "; with 1 each batch updates"),
                            .location = location});
  }
  if (batches == 1 || !rule.lazy_rows) return;
  raise<InvalidArgument>({.what = str(rule.name, " is given gradient_accumulation_steps = ",
                                      batches, " and lazy_rows"),
                          .wanted = "one of them: a sum over batches is no gradient of few rows",
                          .location = location});
}

Tensor updates_done(const OptimizerState& state) {
  const Tensor calls = state.iterations.value();
  const int64_t batches = state.rule.gradient_accumulation_steps;
  return batches == 1 ? calls : calls / static_cast<int32_t>(batches);
}

void check_same_variables(OptimizerState& state, const std::vector<Variable>& variables,
                          SourceLocation location) {
  std::vector<const VariableState*> given;
  for (const Variable& variable : variables) given.push_back(variable.state().get());
  if (state.accumulated.empty()) state.accumulated = given;
  if (state.accumulated == given) return;
  raise<InvalidArgument>(
      {.what = str(state.rule.name,
                   " with gradient_accumulation_steps is applied to other "
                   "variables than before"),
       .wanted = "always the same ones, in their order",
       .hint = "an optimizer for each model, or each group of variables; after a change of what "
               "is trained compile() again",
       .location = location});
}

void update_with_mean(OptimizerState& state, const std::vector<Tensor>& gradients,
                      const std::vector<Variable>& variables,
                      const std::function<void(const std::vector<Tensor>&)>& update,
                      SourceLocation location) {
  check_same_variables(state, variables, location);
  const int64_t batches = state.rule.gradient_accumulation_steps;
  std::vector<Variable> sums;
  std::vector<Tensor> totals;
  for (size_t i = 0; i < variables.size(); ++i) {
    sums.push_back(state.slot(variables[i], accumulated_gradient_slot, 0));
    totals.push_back(sums.back().value() + gradients[i]);
  }
  const Tensor calls = state.iterations.value() + 1;
  const auto on_last = [&] {
    std::vector<Tensor> means;
    for (const Tensor& total : totals) means.push_back(total / static_cast<double>(batches));
    update(means);
    for (const Variable& sum : sums) sum.assign(zeros(sum.shape(), sum.dtype()));
    return Tensors{};
  };
  const auto on_others = [&] {
    for (size_t i = 0; i < sums.size(); ++i) sums[i].assign(totals[i]);
    return Tensors{};
  };
  cond(calls % static_cast<int32_t>(batches) == 0, std::function<Tensors()>(on_last),
       std::function<Tensors()>(on_others));
}

}  // namespace systolic::inline v0
