#include "systolic/train/callbacks/learning_rate_scheduler.h"

#include <utility>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

class Scheduler : public Callback {
 public:
  Scheduler(std::function<double(int, double)> schedule, SourceLocation location)
      : schedule_(std::move(schedule)), location_(location) {}

  // Once an epoch, also of one that was begun by a run that is taken up: its rate was saved.
  void on_epoch_begin(int epoch) override {
    if (std::exchange(begun_, epoch) == epoch) return;
    Optimizer& optimizer = model().optimizer();
    const double rate = optimizer.learning_rate().item<double>();
    optimizer.set_learning_rate(schedule_(epoch, rate), location_);
  }

  void on_train_begin() override { begun_ = -1; }

  Example save_state() const override { return {{"begun", begun_}}; }
  void load_state(const Example& state) override { begun_ = state["begun"].item<int>(); }
  std::string state_name() const override { return "LearningRateScheduler"; }

 private:
  std::function<double(int, double)> schedule_;
  int begun_ = -1;  // the last epoch whose rate was set
  SourceLocation location_;
};

}  // namespace

LearningRateScheduler::operator CallbackPtr() const {
  return std::make_shared<Scheduler>(schedule, location);
}

}  // namespace systolic::inline v0
