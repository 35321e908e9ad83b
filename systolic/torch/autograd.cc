#include "systolic/torch/autograd.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/torch/process.h"

namespace systolic::inline v0 {
namespace torch {
namespace internal {

Autograd::Autograd() = default;
Autograd::~Autograd() = default;

void Autograd::note_read(const std::shared_ptr<ParameterState>& parameter, At at) {
  if (!enabled_) return;
  if (!tape_) tape_ = std::make_unique<GradientTape>(GradientTapeOptions{.persistent = true}, at);
  if (std::find(read_.begin(), read_.end(), parameter) == read_.end()) read_.push_back(parameter);
}

namespace {

void check_loss(const Tensor& loss, bool recorded, At at) {
  if (loss.numel() != 1) {
    raise<InvalidArgument>({.what = str("backward() of a Tensor of shape ", loss.shape()),
                            .wanted = "a scalar",
                            .hint = "fold it first: loss.mean() or loss.sum()",
                            .location = at});
  }
  if (recorded) return;
  raise<FailedPrecondition>(
      {.what = "backward() of a Tensor that no recorded parameter was used for",
       .hint = "compute the loss after the last optimizer step and mark_step, and not under "
               "no_grad",
       .location = at});
}

}  // namespace

void Autograd::backward(const Tensor& loss, At at) {
  check_loss(loss, tape_ != nullptr, at);
  std::vector<Variable> variables;
  Process& process = Process::current();
  for (const auto& parameter : read_) variables.push_back(process.own(parameter).variable);
  const std::vector<systolic::Tensor> gradients = tape_->gradient(loss, variables, at);
  for (size_t i = 0; i < read_.size(); ++i) {
    Tensor& gradient = process.own(read_[i]).gradient;
    gradient = gradient.valid() ? Tensor(gradient + gradients[i]) : Tensor(gradients[i]);
  }
}

void Autograd::end_recording() {
  if (tape_) ended_.push_back(std::move(tape_));
  read_.clear();
}

void Autograd::forget() {
  tape_.reset();
  ended_.clear();
  read_.clear();
}

}  // namespace internal

no_grad::no_grad() : previous_(internal::Process::current().autograd().enabled()) {
  internal::Process::current().autograd().set_enabled(false);
}
no_grad::~no_grad() { internal::Process::current().autograd().set_enabled(previous_); }

}  // namespace torch
}  // namespace systolic::inline v0
