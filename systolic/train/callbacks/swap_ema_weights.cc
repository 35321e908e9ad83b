#include "systolic/train/callbacks/swap_ema_weights.h"

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace {

class SwapAverages : public Callback {
 public:
  explicit SwapAverages(SwapEMAWeights options) : options_(options) {}

  void on_epoch_begin(int) override {
    if (options_.swap_on_epoch) show(false);
  }
  // After the last epoch fit gives the model the averages, which must then lie where they did.
  void on_epoch_end(int epoch, const Logs&) override {
    if (!options_.swap_on_epoch) return;
    if (epoch + 1 < parameters().epochs) return show(true);
    model().optimizer().finalize_variable_values(model().trainable_variables());
  }
  void on_test_begin() override { show(true); }
  void on_test_end(const Logs&) override { show(false); }
  void on_predict_begin() override { show(true); }
  void on_predict_end() override { show(false); }

 private:
  void show(bool averages) {
    if (averages != shown_) model().optimizer().swap_averages();
    shown_ = averages;
  }

  const SwapEMAWeights options_;
  bool shown_ = false;  // the averages are in the model
};

}  // namespace

SwapEMAWeights::operator CallbackPtr() const { return std::make_shared<SwapAverages>(*this); }

}  // namespace systolic::inline v0
