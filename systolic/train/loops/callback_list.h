// The callbacks of one fit, evaluate or predict. Internal to train.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

class CallbackList {
 public:
  CallbackList(const Model& model, std::vector<CallbackPtr> callbacks, FitParameters parameters)
      : callbacks_(std::move(callbacks)) {
    const PlaceInRun place = place_in_run();
    parameters.num_processes = place.count;
    parameters.process_index = place.index;
    for (const CallbackPtr& callback : callbacks_) {
      if (!callback)
        raise<InvalidArgument>({.what = "one of the callbacks is a null pointer",
                                .hint = "std::make_shared<YourCallback>() makes one"});
      callback->attach(model, parameters);
    }
    std::stable_partition(callbacks_.begin(), callbacks_.end(),
                          [](const CallbackPtr& callback) { return !callback->comes_last(); });
    std::copy_if(
        callbacks_.begin(), callbacks_.end(), std::back_inserter(told_),
        [&](const CallbackPtr& callback) { return place.index == 0 || !callback->only_writes(); });
  }
  template <class Method, class... Args>
  void call(Method method, const Args&... args) const {
    for (const CallbackPtr& callback : told_) ((*callback).*method)(args...);
  }
  // Those that come last hear of it first: others may change the model then, as EarlyStopping does.
  void end_training(const Logs& logs) const {
    for (const bool last : {true, false}) {
      for (const CallbackPtr& callback : told_)
        if (callback->comes_last() == last) callback->on_train_end(logs);
    }
  }
  // Those too that are told nothing here, for what all processes do.
  const std::vector<CallbackPtr>& all() const { return callbacks_; }
  bool any_wants_batch_logs() const {
    for (const CallbackPtr& callback : callbacks_) {
      if (callback->wants_batch_logs()) return true;
    }
    return false;
  }

 private:
  std::vector<CallbackPtr> callbacks_;
  std::vector<CallbackPtr> told_;  // of what happens, in this process
};

}  // namespace systolic::inline v0
