// Products of two inputs, example by example (keras.layers.Dot).
//
//   Dot{.axes = 1}({x, y})             [batch, n], [batch, n] -> [batch, 1]
//   Dot{.axes = {2, 1}}({x, y})        [batch, a, n], [batch, n, b] -> [batch, a, b]
//
// The axes that are summed over go; the result has the other axes of the first input, then those of
// the second. `normalize` scales both to the length 1 along them first: cosines. Other counts of
// inputs, axes of different sizes and the batch's axis are an InvalidArgument.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// One axis for both inputs, or one for each.
struct DotAxes {
  int64_t first = 0, second = 0;

  constexpr DotAxes() = default;
  template <std::integral Integer>
  constexpr DotAxes(Integer both)  // NOLINT
      : first(static_cast<int64_t>(both)), second(static_cast<int64_t>(both)) {}
  constexpr DotAxes(int64_t one, int64_t other) : first(one), second(other) {}
  friend constexpr bool operator==(DotAxes a, DotAxes b) {
    return a.first == b.first && a.second == b.second;
  }
};
Config to_config(DotAxes value);
void from_config(const Config& config, DotAxes& value);

struct Dot {
  static constexpr const char* kind = "Dot";
  static constexpr LayerTraits traits = {};
  Required<DotAxes> axes;
  bool normalize = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const std::vector<Tensor>& xs, CallContext& context) const;

  SYSTOLIC_MERGING_LAYER_CALLS

  template <class Self = Dot>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("axes", &Self::axes), field("normalize", &Self::normalize)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(Dot);

}  // namespace systolic::inline v0
