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

// What an activation may be called, and what it makes of x.
// clang-format off
#define SYSTOLIC_ACTIVATIONS(named)               \
  named("linear", x)                              \
  named("relu", relu(x))                          \
  named("relu6", relu6(x))                        \
  named("leaky_relu", leaky_relu(x))              \
  named("elu", elu(x))                            \
  named("selu", selu(x))                          \
  named("gelu", gelu(x))                          \
  named("silu", silu(x))                          \
  named("swish", silu(x))                         \
  named("softplus", softplus(x))                  \
  named("softsign", softsign(x))                  \
  named("sigmoid", sigmoid(x))                    \
  named("hard_sigmoid", hard_sigmoid(x))          \
  named("tanh", tanh(x))                          \
  named("softmax", softmax_of_classes(x))         \
  named("log_softmax", log_softmax_of_classes(x)) \
  named("exponential", exp(x))                    \
  named("mish", mish(x))                          \
  named("gelu_new", gelu(x, true))                \
  named("gelu_pytorch_tanh", gelu(x, true))       \
  named("gelu_fast", gelu(x, true))               \
  named("quick_gelu", quick_gelu(x))              \
  named("relu2", square(relu(x)))                 \
  named("celu", celu(x))                          \
  named("hard_silu", hard_silu(x))                \
  named("hard_swish", hard_silu(x))               \
  named("hard_tanh", hard_tanh(x))                \
  named("log_sigmoid", -softplus(-x))             \
  named("hard_shrink", hard_shrink(x))            \
  named("soft_shrink", soft_shrink(x))            \
  named("tanh_shrink", x - tanh(x))               \
  named("squareplus", squareplus(x))              \
  named("sparse_plus", sparse_plus(x))            \
  named("sparse_sigmoid", sparse_sigmoid(x))      \
  named("sparsemax", sparsemax(x))                \
  named("glu", glu(x))
// clang-format on

namespace systolic::inline v0 {

// The names that an Activation takes, each with what it does to x: Keras's, and Hugging Face's for
// the same.
struct ActivationNames {
  SYSTOLIC_NAMES_OF("activation", SYSTOLIC_ACTIVATIONS)
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
