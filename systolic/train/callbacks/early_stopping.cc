#include "systolic/train/callbacks/early_stopping.h"

#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* weights_prefix = "best_weights/";

class Stopper : public Callback {
 public:
  explicit Stopper(EarlyStopping options)
      : options_(std::move(options)),
        monitor_(options_.monitor, options_.mode, options_.min_delta) {}

  void on_train_begin() override {
    monitor_.begin("EarlyStopping", model(), options_.location);
    best_ = monitor_.worst();
    waited_ = 0;
    first_ = true;
    best_weights_.clear();
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    const std::optional<double> logged = monitor_.value("EarlyStopping", epoch, logs);
    if (!logged) return;
    if (epoch < options_.start_from_epoch) return;
    const double value = *logged;
    const bool first = std::exchange(first_, false);
    const bool better = monitor_.beats(value, best_);
    if (better) best_ = value;
    ++waited_;
    if (better || first) {
      if (!options_.baseline || monitor_.beats(value, *options_.baseline)) waited_ = 0;
      if (options_.restore_best_weights) best_weights_ = model().get_weights();
      return;
    }
    if (waited_ >= options_.patience && epoch > 0) {
      if (parameters().verbose > 0)
        publish(events::Notice{{.text = str("Epoch ", epoch + 1, ": early stopping")}});
      model().stop_training();
    }
  }

  Example save_state() const override {
    Example state{{"best", best_}, {"waited", waited_}, {"first", first_}};
    for (size_t i = 0; i < best_weights_.size(); ++i)
      state.set(str(weights_prefix, i), best_weights_[i]);
    return state;
  }
  void load_state(const Example& state) override {
    best_ = state["best"].item<double>();
    waited_ = state["waited"].item<int>();
    first_ = state["first"].item<bool>();
    best_weights_.clear();
    for (const Example::Component& one : state) {
      if (one.name.starts_with(weights_prefix)) best_weights_.push_back(one.value);
    }
  }
  std::string state_name() const override { return "EarlyStopping"; }

  void on_train_end(const Logs&) override {
    if (options_.restore_best_weights && !best_weights_.empty()) model().set_weights(best_weights_);
  }

 private:
  EarlyStopping options_;
  WatchedValue monitor_;
  double best_ = 0;
  int waited_ = 0;
  bool first_ = true;
  std::vector<Literal> best_weights_;
};

}  // namespace

EarlyStopping::operator CallbackPtr() const { return std::make_shared<Stopper>(*this); }

}  // namespace systolic::inline v0
