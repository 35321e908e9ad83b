// Hooks into training (keras.callbacks.Callback). Derive, override what is wanted, pass with
// FitOptions::callbacks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "systolic/train/history.h"

namespace systolic::inline v0 {

class Model;

// What fit() tells its callbacks at the start.
struct FitParameters {
  int epochs = 1;
  int64_t steps = -1;      // an epoch; -1: not known before the first has ended
  int64_t batch_size = 0;  // global
  int verbose = 1;
};

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void on_train_begin() {}
  virtual void on_train_end(const Logs&) {}
  virtual void on_epoch_begin(int /*epoch*/) {}
  // The logs hold loss, metrics and, where there is validation, their val_ twins.
  virtual void on_epoch_end(int /*epoch*/, const Logs&) {}
  // With steps_per_execution = K: called once for K steps; `step` is the last of them, counted from
  // 0 in the epoch.
  virtual void on_train_batch_end(int64_t /*step*/, const Logs&) {}
  virtual void on_test_begin() {}
  virtual void on_test_end(const Logs&) {}
  virtual void on_test_batch_end(int64_t /*step*/, const Logs&) {}
  virtual void on_predict_batch_end(int64_t /*step*/) {}

  // True if on_train_batch_end needs the logs of every step: reading them makes the host wait for
  // the device.
  virtual bool wants_batch_logs() const { return false; }

  // Set by fit() before on_train_begin.
  void attach(Model& model, const FitParameters& parameters) {
    model_ = &model;
    parameters_ = parameters;
  }

 protected:
  Model& model() const { return *model_; }
  const FitParameters& parameters() const { return parameters_; }

 private:
  Model* model_ = nullptr;
  FitParameters parameters_;
};
using CallbackPtr = std::shared_ptr<Callback>;

}  // namespace systolic::inline v0
