// The mean of the elements of each window (keras.layers.AveragePooling2D). Padding does not count.
//
//   [batch, height, width, channels] -> [batch, height', width', channels]
#pragma once

#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct AveragePooling2D {
  static constexpr const char* kind = "AveragePooling2D";
  static constexpr LayerTraits traits = {};
  Size2 pool_size = 2;
  std::optional<Size2> strides = {};  // pool_size
  Padding padding = "valid";
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
      delete;  // to share it: Layer l = AveragePooling2D{...}; l(x)

  template <class Self = AveragePooling2D>
  static constexpr auto fields() {
    return pooling_fields<Self>();
  }
};

extern template Layer::Layer(AveragePooling2D);

}  // namespace systolic::inline v0
