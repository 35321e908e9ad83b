// The mean of the elements of each channel over the whole image
// (keras.layers.GlobalAveragePooling2D).
//
//   [batch, height, width, channels] -> [batch, channels], or with keepdims [batch, 1, 1,
//   channels].
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct GlobalAveragePooling2D {
  static constexpr const char* kind = "GlobalAveragePooling2D";
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
      delete;  // to share it: Layer l = GlobalAveragePooling2D{...}; l(x)

  template <class Self = GlobalAveragePooling2D>
  static constexpr auto fields() {
    return global_pooling_fields<Self>();
  }
};

extern template Layer::Layer(GlobalAveragePooling2D);

}  // namespace systolic::inline v0
