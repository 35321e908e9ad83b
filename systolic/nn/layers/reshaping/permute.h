// Reorders the axes after the batch (keras.layers.Permute): dims {2, 1} swaps the two axes of
// [batch, a, b]. Counts from 1, as Keras does.
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct Permute {
  static constexpr const char* kind = "Permute";
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  Required<std::vector<int64_t>> dims;
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
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = Permute{...}; l(x)

  template <class Self = Permute>
  static constexpr auto fields() {
    return std::tuple(field("dims", &Self::dims), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(Permute);

}  // namespace systolic::inline v0
