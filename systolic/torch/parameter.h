// A weight of a module, or a buffer such as a running mean (torch.nn.Parameter).
//
// A handle: copies name the same weight. Its value belongs to the process of PyTorch that uses it:
// ordinals that xmp::spawn starts begin with the value that it had before, and each then has its
// own, as processes do that were forked.
#pragma once

#include <memory>
#include <string>

#include "systolic/torch/tensor.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {
namespace torch {

// How a Parameter starts.
struct ParameterOptions {
  bool requires_grad = true;    // false: backward() gives it no gradient
  std::string name = "weight";  // shown in errors
};

namespace internal {
struct ParameterState;
}

class Parameter {
 public:
  Parameter() = default;
  explicit Parameter(Literal initial, ParameterOptions options = {});

  bool valid() const { return state_ != nullptr; }
  const std::string& name() const;
  DType dtype() const;
  const Shape& shape() const;
  int64_t numel() const { return shape().elements(); }
  bool requires_grad() const;
  void set_requires_grad(bool wanted) const;

  // At this point of the program; recorded for backward() unless under no_grad.
  Tensor value(At at = At::current()) const;
  operator Tensor() const { return value(SourceLocation{}); }  // NOLINT
  // Holds nothing before the first backward() and after zero_grad().
  Tensor grad() const;
  void set_grad(Tensor gradient) const;
  void zero_grad() const { set_grad({}); }

  // On the host.
  Literal literal(At at = At::current()) const;
  // New values, of the same shape; another type is converted.
  void copy_(const Literal& values, At at = At::current()) const;
  // A new value that the program computes.
  void assign(const systolic::Tensor& value, At at = At::current()) const;
  // The type from now on; only before a step has used it.
  void to(DType dtype, At at = At::current()) const;

  // What an optimizer of this process updates.
  Variable variable() const;

  const std::shared_ptr<internal::ParameterState>& state() const { return state_; }
  friend bool operator==(const Parameter& a, const Parameter& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<internal::ParameterState> state_;
};

}  // namespace torch
}  // namespace systolic::inline v0
