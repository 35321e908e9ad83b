#include "systolic/nn/layers/transformer/transformer_decoder.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"

namespace systolic::inline v0 {

Tensor TransformerDecoder::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const auto is_sequence = [](const Tensor& x) { return is_float(x.dtype()); };
  const auto memory = std::find_if(xs.begin() + 1, xs.end(), is_sequence);
  const std::vector<Tensor> masks(xs.begin() + 1, memory), encoded(memory, xs.end());
  check_rank(xs.at(0), 3, "[batch, length, features]");
  if (std::count_if(encoded.begin(), encoded.end(), is_sequence) > 1) {
    raise<InvalidArgument>({.what = "called on more than two sequences of floats",
                            .wanted = "the decoder's, its masks, the encoder's and its masks"});
  }
  const TransformerParts parts = parts_of(*this, context);
  Tensor x = parts.attention(
      xs[0],
      {.name = "self_attention", .prefix = "self_attention", .others = masks, .causal = true});
  if (!encoded.empty()) {
    x = parts.attention(
        x, {.name = "cross_attention", .prefix = "cross_attention", .others = encoded});
  }
  return parts.feedforward(x);
}

SYSTOLIC_DEFINE_LAYER(TransformerDecoder)

}  // namespace systolic::inline v0
