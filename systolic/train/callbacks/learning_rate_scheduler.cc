#include "systolic/train/callbacks/learning_rate_scheduler.h"

#include <utility>

#include "systolic/train/model.h"

namespace systolic::inline v0 {
namespace {

class Scheduler : public Callback {
 public:
  explicit Scheduler(std::function<double(int, double)> schedule)
      : schedule_(std::move(schedule)) {}

  void on_epoch_begin(int epoch) override {
    Optimizer& optimizer = model().optimizer();
    optimizer.set_learning_rate(schedule_(epoch, optimizer.learning_rate().item<double>()));
  }

 private:
  std::function<double(int, double)> schedule_;
};

}  // namespace

CallbackPtr LearningRateScheduler(std::function<double(int, double)> schedule) {
  return std::make_shared<Scheduler>(std::move(schedule));
}

}  // namespace systolic::inline v0
