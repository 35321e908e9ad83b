// What backward() walks: the ops since a parameter was first read (torch.autograd). Recording ends
// with the optimizer's step; what was recorded is let go by mark_step.
//
//   { const torch::no_grad guard; accuracy = evaluate(model); }
#pragma once

#include <memory>
#include <vector>

#include "systolic/torch/tensor.h"
#include "systolic/trace/gradient_tape.h"

namespace systolic::inline v0 {
namespace torch {
namespace internal {

struct ParameterState;

class Autograd {
 public:
  Autograd();
  ~Autograd();

  bool enabled() const { return enabled_; }
  void set_enabled(bool enabled) { enabled_ = enabled; }

  // Before a parameter that requires a gradient is read.
  void note_read(const std::shared_ptr<ParameterState>& parameter, At at);
  void backward(const Tensor& loss, At at);
  // The parameters change: what was recorded before no longer counts.
  void end_recording();
  // The step is over: the program's ops may be forgotten.
  void forget();

 private:
  bool enabled_ = true;
  std::unique_ptr<GradientTape> tape_;
  std::vector<std::unique_ptr<GradientTape>> ended_;  // keep the step's ops in one program
  std::vector<std::shared_ptr<ParameterState>> read_;
};

}  // namespace internal

// While it lives, nothing that this thread computes is recorded (torch.no_grad).
class no_grad {
 public:
  no_grad();
  ~no_grad();
  no_grad(const no_grad&) = delete;
  no_grad& operator=(const no_grad&) = delete;

 private:
  bool previous_;
};

}  // namespace torch
}  // namespace systolic::inline v0
