#include "systolic/train/model/model_access.h"

#include <utility>

namespace systolic::inline v0 {

struct ModelAccess {
  static ModelState& state_of(const Model& model) { return *model.state_; }
};

namespace {

ModelState& state_of(const Model& model) { return ModelAccess::state_of(model); }

}  // namespace

ModelView view_of(const Model& model) { return ModelView(state_of(model)); }

bool is_compiled(const Model& model) { return view_of(model).is_compiled(); }

bool is_stopped(const Model& model) { return state_of(model).run().is_stopped(); }

bool reads_own_rows(const Model& model) { return state_of(model).run().own_rows(); }

bool is_logged(const Model& model, std::string_view name) {
  return is_logged(state_of(model), name);
}

LogDirection log_direction(const Model& model, std::string_view name) {
  return log_direction(state_of(model), name);
}

Example metric_totals(const Model& model) { return metric_totals(state_of(model)); }

void announce_lengths(const Model& model, const std::vector<int64_t>& lengths) {
  state_of(model).announce_lengths(lengths);
}

void bring_loss(const Model& model, OwnLoss loss) { state_of(model).bring_loss(std::move(loss)); }

void watch_finite(const Model& model, std::shared_ptr<FiniteWatch> watch) {
  state_of(model).watch_finite(std::move(watch));
}

std::shared_ptr<FiniteWatch> finite_watch(const Model& model) {
  return state_of(model).finite_watch();
}

void change_layers(const Model& model, const std::function<void()>& change) {
  state_of(model).change_layers(change);
}

void replace_network(const Model& model, Network other, const std::string& by,
                     const std::function<void()>& also) {
  state_of(model).replace_network(std::move(other), by, also);
}

}  // namespace systolic::inline v0
