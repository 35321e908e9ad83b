// While training, flips each image with probability one half (keras.layers.RandomFlip); otherwise
// the identity. [batch, height, width, channels].
//
// `mode`: "horizontal", "vertical" or "horizontal_and_vertical".
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

// Which axes are flipped: "horizontal" swaps left and right, "vertical" top and bottom.
struct FlipNames {
  SYSTOLIC_NAMES(throw "mode must be one of: horizontal vertical horizontal_and_vertical")
};

struct RandomFlip {
  static constexpr const char* kind = "RandomFlip";
  static constexpr LayerTraits traits = {};
  Choice<FlipNames> mode = "horizontal_and_vertical";
  std::optional<int64_t> seed = {};  // instead of the model's
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = RandomFlip{...}; l(x)

  template <class Self = RandomFlip>
  static constexpr auto fields() {
    return std::tuple(field("mode", &Self::mode), field("seed", &Self::seed),
                      field("dtype", &Self::dtype), field("name", &Self::name));
  }
};

extern template Layer::Layer(RandomFlip);

}  // namespace systolic::inline v0
