#include "systolic/train/callbacks/lambda_callback.h"

#include <utility>

namespace systolic::inline v0 {
namespace {

class Lambdas : public Callback {
 public:
  explicit Lambdas(LambdaCallback functions) : functions_(std::move(functions)) {}

  void on_train_begin() override {
    if (functions_.on_train_begin) functions_.on_train_begin();
  }
  void on_train_end(const Logs& logs) override {
    if (functions_.on_train_end) functions_.on_train_end(logs);
  }
  void on_epoch_begin(int epoch) override {
    if (functions_.on_epoch_begin) functions_.on_epoch_begin(epoch);
  }
  void on_epoch_end(int epoch, const Logs& logs) override {
    if (functions_.on_epoch_end) functions_.on_epoch_end(epoch, logs);
  }
  void on_train_batch_begin(int64_t step) override {
    if (functions_.on_train_batch_begin) functions_.on_train_batch_begin(step);
  }
  void on_train_batch_end(int64_t step, const Logs& logs) override {
    if (functions_.on_train_batch_end) functions_.on_train_batch_end(step, logs);
  }
  bool wants_batch_logs() const override { return functions_.on_train_batch_end != nullptr; }

  Example save_state() const override {
    return functions_.save_state ? functions_.save_state() : Example();
  }
  void load_state(const Example& state) override {
    if (functions_.load_state) functions_.load_state(state);
  }
  std::string state_name() const override { return "LambdaCallback"; }

 private:
  LambdaCallback functions_;
};

}  // namespace

LambdaCallback::operator CallbackPtr() const { return std::make_shared<Lambdas>(*this); }

}  // namespace systolic::inline v0
