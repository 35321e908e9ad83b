// Records what happens between its construction and gradient(), for automatic differentiation
// (tf.GradientTape).
//
//   GradientTape tape;
//   Tensor loss = compute_loss(model(x), y);
//   std::vector<Tensor> gradients = tape.gradient(loss, model.trainable_variables());
//
// The contract: a read of a variable counts for the version that was read, and the gradient for a
// variable sums over its reads; reading a value (print) does not break the tape; what was computed
// before the tape, or under stop_recording, is constant. Tapes nest, for higher derivatives. A tape
// used on another thread than the one that made it is a FailedPrecondition.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "systolic/trace/tensor.h"
#include "systolic/trace/variable.h"

namespace systolic::inline v0 {

struct GradientTapeOptions {
  bool persistent = false;  // gradient() may be called more than once
};

class GradientTape {
 public:
  explicit GradientTape(GradientTapeOptions options = {},
                        SourceLocation location = SourceLocation::current());
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  // Variables are watched automatically; Tensors must be named before they are used.
  void watch(const Tensor& tensor, SourceLocation location = SourceLocation::current());

  // d target / d source for each source, of the source's type and shape; a target that is not a
  // scalar is summed. A source that the target does not depend on gives zeros. Stops the recording
  // unless persistent.
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Variable>& sources,
                               SourceLocation location = SourceLocation::current());
  std::vector<Tensor> gradient(const Tensor& target, const std::vector<Tensor>& sources,
                               SourceLocation location = SourceLocation::current());
  Tensor gradient(const Tensor& target, const Tensor& source,
                  SourceLocation location = SourceLocation::current());
  Tensor gradient(const Tensor& target, const Variable& source,
                  SourceLocation location = SourceLocation::current());

  // What `body` computes is constant for this tape.
  void stop_recording(const std::function<void()>& body);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// f differentiated, as a function of its arguments: grad(f)(x) is df/dx.
std::function<Tensor(const Tensor&)> grad(std::function<Tensor(const Tensor&)> f);

}  // namespace systolic::inline v0
