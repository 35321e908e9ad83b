// The largest element of each channel over the whole sequence (keras.layers.GlobalMaxPooling1D).
//
//   [batch, steps, channels] -> [batch, channels], or with keepdims [batch, 1, channels].
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct GlobalMaxPooling1D {
  static constexpr const char* kind = "GlobalMaxPooling1D";
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
      delete;  // to share it: Layer l = GlobalMaxPooling1D{...}; l(x)

  static constexpr auto fields() {
    return std::tuple(field("keepdims", &GlobalMaxPooling1D::keepdims),
                      field("dtype", &GlobalMaxPooling1D::dtype),
                      field("name", &GlobalMaxPooling1D::name));
  }
};

}  // namespace systolic::inline v0
