// Lets Model::input_state() answer while fit runs. Internal to train.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

class InputStateScope {
 public:
  InputStateScope(ModelState& model, std::function<std::string()> input_state) : model_(model) {
    model_.run().answer_input_state(std::move(input_state));
  }
  ~InputStateScope() { model_.run().answer_input_state(nullptr); }
  InputStateScope(const InputStateScope&) = delete;
  InputStateScope& operator=(const InputStateScope&) = delete;

 private:
  ModelState& model_;
};

}  // namespace systolic::inline v0
