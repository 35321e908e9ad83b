// The largest or the mean of the elements of each window: MaxPooling1D to 3D and AveragePooling1D
// to 3D (keras.layers). One template, and a row of a table for each way to pool.
//
//   MaxPooling1D{.pool_size = 3}                       [batch, steps, channels] -> [batch, steps',
//   channels] AveragePooling2D{.pool_size = {2, 3}, .padding = "same"}
//                      [batch, height, width, channels] -> [batch, height', width', channels]
//
// A size' is (size - pool_size) / strides + 1, rounded down, for "valid"; ceil(size / strides) for
// "same". Padding counts neither in a mean nor as a maximum. A window that does not fit, a size or
// stride below 1 and another number of axes are an InvalidArgument.
#pragma once

#include <optional>

#include "systolic/nn/config/padding.h"
#include "systolic/nn/config/size3.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// The rows of the tables of all poolings.
enum class Pool { max, average };

// Their names in configurations, by Pool and by the number of spatial axes.
inline constexpr const char* pooling_kinds[2][3] = {
    {"MaxPooling1D", "MaxPooling2D", "MaxPooling3D"},
    {"AveragePooling1D", "AveragePooling2D", "AveragePooling3D"}};

template <Pool pool, int rank>
struct Pooling {
  static constexpr const char* kind = pooling_kinds[static_cast<int>(pool)][rank - 1];
  static constexpr LayerTraits traits = {};
  SpatialSize<rank> pool_size = 2;
  std::optional<SpatialSize<rank>> strides = {};  // pool_size: windows lie side by side
  Padding padding = "valid";
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = Pooling>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("pool_size", &Self::pool_size), field("strides", &Self::strides),
                   field("padding", &Self::padding)),
        common_fields<Self>());
  }
};

using MaxPooling1D = Pooling<Pool::max, 1>;
// The largest element of each window of a picture: [batch, height, width, channels] -> [batch,
// height', width', channels].
using MaxPooling2D = Pooling<Pool::max, 2>;
// The largest element of each window of a volume: [batch, depth, height, width, channels] ->
// [batch, depth', height', width', channels].
using MaxPooling3D = Pooling<Pool::max, 3>;
using AveragePooling1D = Pooling<Pool::average, 1>;
using AveragePooling2D = Pooling<Pool::average, 2>;
// The mean of each window of a volume: [batch, depth, height, width, channels] -> [batch, depth',
// height', width', channels].
using AveragePooling3D = Pooling<Pool::average, 3>;

extern template Layer::Layer(MaxPooling1D);
extern template Layer::Layer(MaxPooling2D);
extern template Layer::Layer(MaxPooling3D);
extern template Layer::Layer(AveragePooling1D);
extern template Layer::Layer(AveragePooling2D);
extern template Layer::Layer(AveragePooling3D);

}  // namespace systolic::inline v0
