// The same elements under another shape (keras.layers.Reshape): [batch, ...] -> [batch,
// target_shape...]. One size may be -1: it takes what is left.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Reshape {
  static constexpr const char* kind = "Reshape";
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  Required<Shape> target_shape;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::optional<SeenInput> moved(const SeenInput& x) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Reshape{...}; l(x)

  template <class Self = Reshape>
  static constexpr auto fields() {
    return std::tuple(field("target_shape", &Self::target_shape), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Reshape);

}  // namespace systolic::inline v0
