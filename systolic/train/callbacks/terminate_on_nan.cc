#include "systolic/train/callbacks/terminate_on_nan.h"

#include <cmath>

#include "systolic/base/log.h"
#include "systolic/base/text.h"
#include "systolic/train/model.h"

namespace systolic::inline v0 {
namespace {

class NanWatch : public Callback {
 public:
  void on_epoch_begin(int epoch) override { epoch_ = epoch; }

  void on_train_batch_end(int64_t step, const Logs& logs) override {
    const double loss = log_value(logs, "loss");
    if (std::isfinite(loss)) return;
    log_warning(str("Epoch ", epoch_ + 1, ", step ", step + 1, ": the loss is ", loss,
                    "; training stops. A smaller learning rate, gradient clipping (clipnorm) or "
                    "checking the input "
                    "for NaN are the usual remedies."));
    model().stop_training();
  }
  bool wants_batch_logs() const override { return true; }

 private:
  int epoch_ = 0;
};

}  // namespace

CallbackPtr TerminateOnNaN() { return std::make_shared<NanWatch>(); }

}  // namespace systolic::inline v0
