// A callback from functions (keras.callbacks.LambdaCallback):
//
//   LambdaCallback{.on_epoch_end = [](int epoch, const Logs& logs) { ... }}
#pragma once

#include <functional>

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

struct LambdaCallback {
  std::function<void()> on_train_begin = {};
  std::function<void(const Logs&)> on_train_end = {};
  std::function<void(int)> on_epoch_begin = {};
  std::function<void(int, const Logs&)> on_epoch_end = {};
  std::function<void(int64_t)> on_train_batch_begin = {};
  std::function<void(int64_t, const Logs&)> on_train_batch_end = {};
  // What the functions know of the run, where it is to outlive the process (callback.h).
  std::function<Example()> save_state = {};
  std::function<void(const Example&)> load_state = {};

  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
