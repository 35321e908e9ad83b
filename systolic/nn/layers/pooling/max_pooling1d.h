// The largest element of each window of steps (keras.layers.MaxPooling1D).
//
//   [batch, steps, channels] -> [batch, steps', channels]
#pragma once

#include "systolic/nn/config/padding.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct MaxPooling1D {
  static constexpr const char* kind = "MaxPooling1D";
  static constexpr LayerTraits traits = {};
  int64_t pool_size = 2;
  std::optional<int64_t> strides = {};  // pool_size
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
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = MaxPooling1D{...}; l(x)

  template <class Self = MaxPooling1D>
  static constexpr auto fields() {
    return pooling_fields<Self>();
  }
};

extern template Layer::Layer(MaxPooling1D);

}  // namespace systolic::inline v0
