// The mean of the elements of each channel over the whole sequence
// (keras.layers.GlobalAveragePooling1D).
//
//   [batch, steps, channels] -> [batch, channels], or with keepdims [batch, 1, channels].
//
// Over the real steps only behind an Embedding{.mask_zero = true}.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GlobalAveragePooling1D {
  static constexpr const char* kind = "GlobalAveragePooling1D";
  static constexpr LayerTraits traits = {};
  bool keepdims = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& =
      delete;  // to share it: Layer l = GlobalAveragePooling1D{...}; l(x)

  template <class Self = GlobalAveragePooling1D>
  static constexpr auto fields() {
    return global_pooling_fields<Self>();
  }
};

extern template Layer::Layer(GlobalAveragePooling1D);

}  // namespace systolic::inline v0
