#include "systolic/train/callbacks/early_stopping.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/train/model.h"

namespace systolic::inline v0 {
namespace {

bool larger_is_better(const EarlyStopping& options) {
  if (options.mode != MonitorMode::automatic) return options.mode == MonitorMode::max;
  for (const char* word : {"acc", "auc", "precision", "recall"}) {
    if (options.monitor.find(word) != std::string::npos) return true;
  }
  return false;
}

class Stopper : public Callback {
 public:
  explicit Stopper(EarlyStopping options)
      : options_(std::move(options)), sign_(larger_is_better(options_) ? 1 : -1) {}

  void on_train_begin() override {
    best_ = -sign_ * std::numeric_limits<double>::infinity();
    waited_ = 0;
    first_ = true;
    best_weights_.clear();
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    std::vector<std::string> names;
    for (const auto& [name, unused] : logs) names.push_back(name);
    if (std::find(names.begin(), names.end(), options_.monitor) == names.end()) {
      log_warning(str("EarlyStopping watches '", options_.monitor,
                      "', which is not among the logs of epoch ", epoch + 1, ": ", join(names),
                      "."));
      return;
    }
    if (epoch < options_.start_from_epoch) return;
    const double value = log_value(logs, options_.monitor);
    const bool first = std::exchange(first_, false);
    const bool better = beats(value, best_);
    if (better) best_ = value;
    ++waited_;
    if (better || first) {
      if (!options_.baseline || beats(value, *options_.baseline)) waited_ = 0;
      if (options_.restore_best_weights) best_weights_ = model().get_weights();
      return;
    }
    if (waited_ >= options_.patience && epoch > 0) {
      log_info(str("Epoch ", epoch + 1, ": early stopping"));
      model().stop_training();
    }
  }

  void on_train_end(const Logs&) override {
    if (options_.restore_best_weights && !best_weights_.empty()) model().set_weights(best_weights_);
  }

 private:
  // NaN beats nothing.
  bool beats(double value, double other) const {
    return sign_ * value > sign_ * other + options_.min_delta;
  }

  EarlyStopping options_;
  double sign_;  // 1: larger is better
  double best_ = 0;
  int waited_ = 0;
  bool first_ = true;
  std::vector<Literal> best_weights_;
};

}  // namespace

EarlyStopping::operator CallbackPtr() const { return std::make_shared<Stopper>(*this); }

}  // namespace systolic::inline v0
