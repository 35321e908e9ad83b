#include "systolic/train/callbacks/terminate_on_nan.h"

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/model/model_access.h"

namespace systolic::inline v0 {
namespace {

class NanWatch : public Callback {
 public:
  // Steps are compiled anew, with the watch and, afterwards, without it.
  void on_train_begin() override { watch_finite(model(), std::make_shared<FiniteWatch>()); }
  void on_train_end(const Logs&) override { watch_finite(model(), nullptr); }
  void on_epoch_begin(int epoch) override { epoch_ = epoch; }

  void on_train_batch_end(int64_t step, const Logs& logs) override {
    const double loss = log_value(logs, "loss");
    if (std::isfinite(loss)) return;
    const std::string first = finite_watch(model())->first();
    publish(events::Notice{
        {.level = LogLevel::warning,
         .text = str("Epoch ", epoch_ + 1, ", step ", step + 1, ": the loss is ", loss,
                     "; training stops.", first.empty() ? "" : " The first that is not finite: ",
                     first, first.empty() ? "" : ".",
                     " A smaller learning rate, gradient clipping (clipnorm) or checking the input "
                     "for NaN are the usual remedies.")}});
    model().stop_training();
  }
  bool wants_batch_logs() const override { return true; }

 private:
  int epoch_ = 0;
};

}  // namespace

TerminateOnNaN::operator CallbackPtr() const { return std::make_shared<NanWatch>(); }

}  // namespace systolic::inline v0
