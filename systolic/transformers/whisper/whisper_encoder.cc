#include "systolic/transformers/whisper/whisper_encoder.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr double norm_epsilon = 1e-5;
constexpr int64_t stride_of_second = 2;  // of the convolutions

// [positions, size], of position p: sines of p at size / 2 wavelengths from 2 pi to 10000 * 2 pi,
// then cosines (the published code).
struct SoundPositions {
  Literal operator()(const Shape& shape, uint64_t) const {
    Literal table = Literal::zeros(DType::f32, shape);
    const int64_t half = shape[1] / 2;
    const double step = half > 1 ? std::log(10000.0) / static_cast<double>(half - 1) : 0;
    const auto to = table.mutable_data<float>();
    for (int64_t p = 0; p < shape[0]; ++p) {
      for (int64_t i = 0; i < half; ++i) {
        const double angle = static_cast<double>(p) * std::exp(-step * static_cast<double>(i));
        to[static_cast<size_t>(p * shape[1] + i)] = static_cast<float>(std::sin(angle));
        to[static_cast<size_t>(p * shape[1] + half + i)] = static_cast<float>(std::cos(angle));
      }
    }
    return table;
  }
};

}  // namespace

Tensor WhisperEncoder::convolved(const Tensor& x, int64_t stride, const char* convolution,
                                 CallContext& context) const {
  const Conv1D layer{.filters = sizes.hidden_size,
                     .kernel_size = 3,
                     .strides = stride,
                     .kernel_initializer = RandomNormal{.stddev = sizes.initializer_range},
                     .name = convolution};
  return gelu(inner(context, layer, {pad(x, {{0, 0}, {1, 1}, {0, 0}})}));
}

void WhisperEncoder::check_length(const Tensor& features, CallContext& context) const {
  const int64_t frames = features.shape()[2], wanted = stride_of_second * sizes.positions;
  if (frames == wanted || context.infers_shapes()) return;
  raise<InvalidArgument>({.what = str("input_features of shape ", features.shape()),
                          .wanted = str("[batch, ", mel_bins, ", ", wanted, "]"),
                          .hint = "a WhisperFeatureExtractor fills up shorter sounds",
                          .location = location});
}

Tensor WhisperEncoder::call(const Tensor& features, CallContext& context) const {
  check_length(features, context);
  Tensor x = transpose(cast(features, context.compute_dtype()), {0, 2, 1});
  x = convolved(convolved(x, 1, "conv1", context), stride_of_second, "conv2", context);
  const Variable places =
      context.add_weight("embed_positions.weight", {sizes.positions, sizes.hidden_size},
                         {.initializer = SoundPositions{}, .trainable = false});
  // Where only shapes are wanted, sizes are large stand-ins.
  if (!context.infers_shapes()) x = x + cast(places.value(), x.dtype());
  x = dropped(x, sizes.dropout, "dropout", context);
  const Tensor all_seen = fill({1, 1, 1, 1}, 1, DType::pred);
  for (int64_t i = 0; i < layers; ++i)
    x = through_layer(BartLayer{.sizes = sizes, .name = str("layers.", i)}, {x, all_seen}, context);
  return last_state(layer_norm(x, norm_epsilon, "layer_norm", context));
}

}  // namespace systolic::inline v0
