#include "systolic/nn/layers/transformer/transformer_encoder.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"

namespace systolic::inline v0 {

Tensor TransformerEncoder::call(const std::vector<Tensor>& xs, CallContext& context) const {
  check_rank(xs.at(0), 3, "[batch, length, features]");
  const std::vector<Tensor> masks(xs.begin() + 1, xs.end());
  for (const Tensor& mask : masks) {
    if (!is_float(mask.dtype())) continue;
    raise<InvalidArgument>({.what = str("called with a mask of ", to_string(mask.dtype())),
                            .wanted = "pred or integers"});
  }
  const TransformerParts parts = parts_of(*this, context);
  return parts.feedforward(parts.attention(
      xs[0], {.name = "self_attention_layer", .prefix = "self_attention", .others = masks}));
}

SYSTOLIC_DEFINE_LAYER(TransformerEncoder)

}  // namespace systolic::inline v0
