#include "systolic/train/callbacks/learning_rate_scheduler.h"

#include <utility>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

class Scheduler : public Callback {
 public:
  Scheduler(std::function<double(int, double)> schedule, SourceLocation location)
      : schedule_(std::move(schedule)), location_(location) {}

  void on_epoch_begin(int epoch) override {
    Optimizer& optimizer = model().optimizer();
    const double rate = optimizer.learning_rate().item<double>();
    optimizer.set_learning_rate(schedule_(epoch, rate), location_);
  }

 private:
  std::function<double(int, double)> schedule_;
  SourceLocation location_;
};

}  // namespace

LearningRateScheduler::operator CallbackPtr() const {
  return std::make_shared<Scheduler>(schedule, location);
}

}  // namespace systolic::inline v0
