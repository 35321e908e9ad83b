// The largest or the mean of all elements of each channel: GlobalMaxPooling1D to 3D and
// GlobalAveragePooling1D to 3D (keras.layers).
//
//   GlobalAveragePooling2D{}                  [batch, height, width, channels] -> [batch, channels]
//   GlobalMaxPooling1D{.keepdims = true}      [batch, steps, channels] -> [batch, 1, channels]
//
// After an Embedding{.mask_zero = true}, GlobalAveragePooling1D takes the mean over the real steps.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/pooling/pooling.h"

namespace systolic::inline v0 {

// Their names in configurations, by Pool and by the number of spatial axes.
inline constexpr const char* global_pooling_kinds[2][3] = {
    {"GlobalMaxPooling1D", "GlobalMaxPooling2D", "GlobalMaxPooling3D"},
    {"GlobalAveragePooling1D", "GlobalAveragePooling2D", "GlobalAveragePooling3D"}};

template <Pool pool, int rank>
struct GlobalPooling {
  static constexpr const char* kind = global_pooling_kinds[static_cast<int>(pool)][rank - 1];
  static constexpr LayerTraits traits = {};
  bool keepdims = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = GlobalPooling>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("keepdims", &Self::keepdims)), common_fields<Self>());
  }
};

using GlobalMaxPooling1D = GlobalPooling<Pool::max, 1>;
// The largest element of each channel of a picture: [batch, height, width, channels] -> [batch,
// channels].
using GlobalMaxPooling2D = GlobalPooling<Pool::max, 2>;
// The largest element of each channel of a volume: [batch, depth, height, width, channels] ->
// [batch, channels].
using GlobalMaxPooling3D = GlobalPooling<Pool::max, 3>;
using GlobalAveragePooling1D = GlobalPooling<Pool::average, 1>;
using GlobalAveragePooling2D = GlobalPooling<Pool::average, 2>;
// The mean of each channel of a volume: [batch, depth, height, width, channels] -> [batch,
// channels].
using GlobalAveragePooling3D = GlobalPooling<Pool::average, 3>;

extern template Layer::Layer(GlobalMaxPooling1D);
extern template Layer::Layer(GlobalMaxPooling2D);
extern template Layer::Layer(GlobalMaxPooling3D);
extern template Layer::Layer(GlobalAveragePooling1D);
extern template Layer::Layer(GlobalAveragePooling2D);
extern template Layer::Layer(GlobalAveragePooling3D);

}  // namespace systolic::inline v0
