#include "systolic/transformers/swin/swin_layer.h"

#include <algorithm>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/swin/windows.h"

namespace systolic::inline v0 {

// windows [batch * windows, places, channels]; `seen` says which places see each other, for each
// window of a picture.
Tensor SwinLayer::attended(const Tensor& windows, const Tensor* seen, CallContext& context) const {
  const int64_t channels = windows.shape()[2], places = windows.shape()[1];
  const double range = config.initializer_range;
  const auto projected = [&](const char* layer) {
    Dense spec = linear(channels, range, layer);
    spec.use_bias = config.qkv_bias;
    return inner(context, std::move(spec), {windows});
  };
  const int64_t distances = 2 * config.window_size - 1;
  const Tensor table = context.weight("attention.self.relative_position_bias_table",
                                      {distances * distances, heads}, {.initializer = "zeros"});
  const Tensor rows = gather(
      table, constant(Literal::from(relative_places(config.window_size), {places * places})));
  AttentionOptions options{
      .bias = expand_dims(transpose(reshape(rows, {places, places, heads}), {2, 0, 1}), 0)};
  if (seen != nullptr) {
    const int64_t count = seen->shape()[0], batch = windows.shape()[0] / count;
    options.mask = reshape(broadcast_to(expand_dims(*seen, 0), {batch, count, places, places}),
                           {batch * count, 1, places, places});
  }
  const Tensor mixed = attention(projected("attention.self.query"), projected("attention.self.key"),
                                 projected("attention.self.value"), heads,
                                 config.attention_probs_dropout_prob, std::move(options), context);
  return inner(context, linear(channels, range, "attention.output.dense"), {mixed});
}

Tensor SwinLayer::in_windows(const Tensor& x, CallContext& context) const {
  const int64_t size = config.window_size, height = x.shape()[1], width = x.shape()[2];
  const int64_t smallest = std::min(height, width);
  if (smallest < size) {
    raise<InvalidArgument>({.what = str("a map of ", height, " × ", width, " places in a layer"),
                            .wanted = str("room for a window of ", size, " × ", size),
                            .hint = "larger pictures",
                            .location = location});
  }
  // One window across has no neighbours to be shifted to.
  const int64_t shift = shifts && smallest > size ? size / 2 : 0;
  const int64_t below = (size - height % size) % size, right = (size - width % size) % size;
  const Tensor padded = below + right > 0 ? pad(x, {{0, 0}, {0, below}, {0, right}, {0, 0}}) : x;
  const Size2 map{height + below, width + right};
  Tensor seen;
  if (shift > 0) seen = seen_in_windows(map, size, shift);
  const Tensor windows =
      attended(cut_into_windows(rolled(padded, shift), size), shift > 0 ? &seen : nullptr, context);
  const Tensor whole = rolled(joined_windows(windows, size, map), -shift);
  return below + right > 0 ? slice(whole, {0, 0, 0, 0}, x.shape()) : whole;
}

Tensor SwinLayer::call(const Tensor& x, CallContext& context) const {
  const int64_t channels = x.shape()[3];
  const double range = config.initializer_range, rate = config.hidden_dropout_prob;
  const auto normalized = [&](const Tensor& input, const char* norm) {
    return layer_norm(input, config.layer_norm_eps, norm, context);
  };
  const Tensor mixed = in_windows(normalized(x, "layernorm_before"), context);
  const Tensor middle = x + systolic::drop_path(dropped(mixed, rate, "attention.dropout", context),
                                                drop_path, "drop_path", context);
  const auto wide = static_cast<int64_t>(config.mlp_ratio * static_cast<double>(channels));
  const Tensor dense = inner(
      context, linear(wide, range, "intermediate.dense", hidden_activation(config.hidden_act)),
      {normalized(middle, "layernorm_after")});
  const Tensor narrow = inner(context, linear(channels, range, "output.dense"), {dense});
  return middle + dropped(narrow, rate, "output.dropout", context);
}

}  // namespace systolic::inline v0
