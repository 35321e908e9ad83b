// All axes but the batch become one (keras.layers.Flatten): [batch, a, b, ...] -> [batch, a·b·...].
// [batch] becomes [batch, 1].
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct Flatten {
  static constexpr const char* kind = "Flatten";
  static constexpr LayerTraits traits = {.moves_elements = true};
  static constexpr bool casts_inputs = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;
  std::optional<SeenInput> moved(const SeenInput& x) const;

  template <class... Inputs>
  auto operator()(Inputs&&... inputs) && {
    return call_once(std::move(*this), std::forward<Inputs>(inputs)...);
  }

  template <class Self = Flatten>
  static constexpr auto fields() {
    return common_fields<Self>();
  }
};

extern template Layer::Layer(Flatten);

}  // namespace systolic::inline v0
