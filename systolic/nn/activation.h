// What a layer applies to its output (keras.activations): a known name, or any function from Tensor
// to Tensor.
//
//   Dense{.units = 64, .activation = "relu"}                  // "rleu" does not compile
//   Dense{.units = 64, .activation = Activation::parse(text)} // a name known at run time
//   Dense{.units = 64, .activation = [](const Tensor& x) { return x * sigmoid(x * x); }}
//
// Besides Keras's names, Hugging Face's for the same: gelu_new, gelu_pytorch_tanh and gelu_fast are
// gelu by tanh, quick_gelu is x * sigmoid(1.702 x), relu2 is the square of relu. "glu" halves the
// last axis.
#pragma once

#include <functional>
#include <memory>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct ActivationNames {
  SYSTOLIC_NAMES(throw "activation must be one of: linear relu relu6 leaky_relu elu selu gelu silu swish softplus softsign sigmoid hard_sigmoid tanh softmax log_softmax exponential mish gelu_new gelu_pytorch_tanh gelu_fast quick_gelu relu2 celu hard_silu hard_swish hard_tanh log_sigmoid hard_shrink soft_shrink tanh_shrink squareplus sparse_plus sparse_sigmoid sparsemax glu")  // NOLINT
};

class Activation {
 public:
  using Function = std::function<Tensor(const Tensor&)>;

  // "linear".
  constexpr Activation() = default;
  template <size_t n>
  consteval Activation(const char (&name)[n])  // NOLINT
      : position_(ActivationNames::position({name, n - 1})) {}
  template <class F>
  requires std::is_invocable_r_v<Tensor, const F&, const Tensor&> Activation(F function)  // NOLINT
      : function_(std::make_shared<const Function>(std::move(function))) {}

  static Activation parse(std::string_view name,
                          SourceLocation location = SourceLocation::current());

  // "function" for one that is not of the list.
  std::string_view name() const;

  Tensor operator()(const Tensor& x) const;

  friend bool operator==(const Activation& a, const Activation& b) {
    return a.position_ == b.position_ && a.function_ == b.function_;
  }

 private:
  int position_ = 0;
  std::shared_ptr<const Function> function_;
};

// A function of one's own has no text: to_config raises Unimplemented.
Config to_config(const Activation& activation);
void from_config(const Config& config, Activation& activation);

}  // namespace systolic::inline v0
