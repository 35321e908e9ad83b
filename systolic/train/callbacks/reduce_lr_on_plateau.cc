#include "systolic/train/callbacks/reduce_lr_on_plateau.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

class Reducer : public Callback {
 public:
  explicit Reducer(ReduceLROnPlateau options)
      : options_(std::move(options)),
        monitor_(options_.monitor, options_.mode, options_.min_delta) {
    if (options_.factor > 0 && options_.factor < 1) return;
    raise<InvalidArgument>({.what = str("ReduceLROnPlateau with factor = ", options_.factor),
                            .wanted = "more than 0 and less than 1",
                            .location = options_.location});
  }

  void on_train_begin() override {
    monitor_.begin("ReduceLROnPlateau", model(), options_.location);
    check_settable_rate();
    best_ = monitor_.worst();
    waited_ = cooling_ = 0;
  }

  void on_epoch_end(int epoch, const Logs& logs) override {
    const std::optional<double> value = monitor_.value("ReduceLROnPlateau", epoch, logs);
    if (!value) return;
    if (cooling_ > 0) {
      --cooling_;
      waited_ = 0;
    }
    if (monitor_.beats(*value, best_)) {
      best_ = *value;
      waited_ = 0;
    } else if (cooling_ == 0 && ++waited_ >= options_.patience) {
      reduce(epoch);
    }
  }

  // The rate itself is the optimizer's.
  Example save_state() const override {
    return {{"best", best_}, {"waited", waited_}, {"cooling", cooling_}};
  }
  void load_state(const Example& state) override {
    best_ = state["best"].item<double>();
    waited_ = state["waited"].item<int>();
    cooling_ = state["cooling"].item<int>();
  }
  std::string state_name() const override { return "ReduceLROnPlateau"; }

 private:
  void check_settable_rate() const {
    if (!model().optimizer().has_schedule()) return;
    raise<FailedPrecondition>(
        {.what = str("ReduceLROnPlateau for an ", model().optimizer().name(),
                     " whose learning rate follows a schedule"),
         .hint = "one of them: make the optimizer with a number as learning rate",
         .location = options_.location});
  }

  void reduce(int epoch) {
    const Optimizer& optimizer = model().optimizer();
    const double rate = optimizer.learning_rate().item<double>();
    if (rate <= static_cast<double>(static_cast<float>(options_.min_lr))) return;
    const double lower = std::max(rate * options_.factor, options_.min_lr);
    optimizer.set_learning_rate(lower, options_.location);
    if (options_.verbose > 0)
      publish(events::Notice{
          {.text = str("Epoch ", epoch + 1, ": the learning rate becomes ", lower)}});
    cooling_ = options_.cooldown;
    waited_ = 0;
  }

  ReduceLROnPlateau options_;
  WatchedValue monitor_;
  double best_ = 0;
  int waited_ = 0, cooling_ = 0;
};

}  // namespace

ReduceLROnPlateau::operator CallbackPtr() const { return std::make_shared<Reducer>(*this); }

}  // namespace systolic::inline v0
