// Rows and columns of 0 around an image (keras.layers.ZeroPadding2D).
//
//   ZeroPadding2D{.padding = {{1, 1}, {2, 2}}}     ((top, bottom), (left, right)); 1 on all sides
//   by default. [batch, height, width, channels] -> [batch, height + top + bottom, ...]
#pragma once

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct ZeroPadding2D {
  static constexpr const char* kind = "ZeroPadding2D";
  static constexpr LayerTraits traits = {};
  std::vector<std::pair<int64_t, int64_t>> padding = {{1, 1}, {1, 1}};
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }
  template <class... Inputs>
  void operator()(Inputs&&...) const& = delete;  // to share it: Layer l = ZeroPadding2D{...}; l(x)

  template <class Self = ZeroPadding2D>
  static constexpr auto fields() {
    return std::tuple(field("padding", &Self::padding), field("dtype", &Self::dtype),
                      field("name", &Self::name));
  }
};

extern template Layer::Layer(ZeroPadding2D);

}  // namespace systolic::inline v0
