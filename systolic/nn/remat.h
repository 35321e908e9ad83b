// Rematerialization, also called gradient checkpointing (Chen et al. 2016, arXiv 1604.06174;
// Keras's RematScope and remat): what layers compute on the way to their outputs is not kept for
// the gradient, but computed again in the backward pass. Memory for activations becomes that of the
// layers' inputs and of one layer's insides; the backward pass takes a forward pass more. Losses
// and gradients stay the same, but for rounding where a device fuses ops in another way.
//
//   Symbol x = input({.shape = {512}});
//   Symbol y = x;
//   {
//     RematScope scope;                        // for layers that are made while it lives
//     for (int i = 0; i < 24; ++i) y = TransformerEncoder{...}(y);
//   }
//   Model model(x, Dense{.units = 10}(y));
//
// Functions of one's own: remat(f). Weights, and random numbers that were drawn, are the same in
// both passes; variables that a layer assigns are assigned once. Networks are not computed again as
// a whole, but by their layers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/trace/recompute_scope.h"

namespace systolic::inline v0 {

// Which layers: all; of all their activation alone; those with large outputs; those named.
struct RematModeNames {
  SYSTOLIC_NAMES(throw "remat must be one of: full activations larger_than list_of_layers none")
};
// One of these names: RematMode::parse(text) where it is known at run time.
using RematMode = Choice<RematModeNames>;

struct RematOptions {
  RematMode mode = "full";  // which layers
  // "larger_than": of layers whose outputs together have more elements than this, batch included.
  int64_t output_size_threshold = 1024;
  std::vector<std::string> layer_names = {};  // "list_of_layers"
};

// RematScope scope({.mode = "list_of_layers", .layer_names = {"dense_1"}}); The innermost one
// counts; "none" is none.
class RematScope {
 public:
  explicit RematScope(RematOptions options = {});
  ~RematScope();
  RematScope(const RematScope&) = delete;
  RematScope& operator=(const RematScope&) = delete;

 private:
  std::optional<RematOptions> outer_;
};

// f, with what it traces computed again for gradients: remat([&](const Tensor& x) { ... })(x).
template <class Function>
auto remat(Function f) {
  return [f = std::move(f)](auto&&... arguments) {
    const RecomputeScope scope;
    return f(std::forward<decltype(arguments)>(arguments)...);
  };
}

// Internal to nn.
namespace internal {

// What layers are given that this thread makes now.
const std::optional<RematOptions>& remat_in_force();

// While it lives, activations of this thread are computed again, or are not.
class ActivationRemat {
 public:
  explicit ActivationRemat(bool recomputes);
  ~ActivationRemat();
  ActivationRemat(const ActivationRemat&) = delete;
  ActivationRemat& operator=(const ActivationRemat&) = delete;
  static bool recomputes();

 private:
  bool outer_;
};

}  // namespace internal
}  // namespace systolic::inline v0
