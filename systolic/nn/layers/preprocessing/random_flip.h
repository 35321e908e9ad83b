// While training, flips each image with probability one half (keras.layers.RandomFlip); otherwise
// the identity. [batch, height, width, channels].
//
// `mode`: "horizontal", "vertical" or "horizontal_and_vertical".
#pragma once

#include <array>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct FlipNames {
  static constexpr std::string_view subject = "mode";
  static constexpr std::array<std::string_view, 3> names{"horizontal", "vertical",
                                                         "horizontal_and_vertical"};
  static constexpr int position(std::string_view name) {
    const int found = position_in(names, name);
    if (found < 0) throw "mode must be one of: horizontal vertical horizontal_and_vertical";
    return found;
  }
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
