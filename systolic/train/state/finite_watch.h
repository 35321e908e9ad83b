// Finds where a training step first has a NaN or an infinity: what TerminateOnNaN says. Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/nn/layer_outputs.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

class FiniteWatch {
 public:
  // Adds to the step that is traced: which of these, in order, is the first that is not finite.
  // Arrays that are no floats, and those inside of loops that have ended, are passed over.
  void add_to_step(const std::vector<LayerOutput>& values);
  // Since the start, the first of a step: "layer 'dense' (mnist/dense)"; empty where there is none.
  std::string first();

 private:
  static constexpr int32_t none = INT32_MAX;
  std::vector<std::string> names_;
  Variable first_;  // i32: its number
};

}  // namespace systolic::inline v0
