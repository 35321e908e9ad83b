#include "systolic/models/decoder.h"

#include "systolic/nn/layer_state.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

DecoderInputs::DecoderInputs(const Tensors& xs)
    : ids(xs.at(0)), starts(xs.at(1)), slot(xs.at(2)), caches(xs.begin() + 3, xs.end()) {}

Tensor DecoderInputs::slots_of_tokens() const { return iota({1, ids.shape()[1]}, 1) + slot; }

Tensor DecoderInputs::positions(int64_t count) const {
  return clip(slots_of_tokens() - expand_dims(starts, 1), 0, count - 1);
}

Tensor DecoderInputs::mask() const {
  const Tensor slots = iota({1, 1, caches.front().shape()[1]}, 2);
  const Tensor seen = logical_and(slots <= expand_dims(slots_of_tokens(), 2),
                                  slots >= expand_dims(expand_dims(starts, 1), 1));
  return expand_dims(seen, 1);
}

Decoder::Decoder(const Network& network, const std::string& body, DecoderSizes sizes)
    : body_(network.layer(body)), scores_(network.layer(sizes.scores)), sizes_(sizes) {}

Tensors Decoder::empty(int64_t rows, int64_t slots) const {
  const Tensor cache = zeros({rows, slots, sizes_.width}, body_.state()->policy.compute_dtype());
  return Tensors(static_cast<size_t>(2 * sizes_.layers), cache);
}

Tensor Decoder::read(const Tensor& ids, const Tensor& starts, const Tensor& slot,
                     Tensors& caches) const {
  Tensors inputs{ids, starts, slot};
  inputs.insert(inputs.end(), caches.begin(), caches.end());
  Tensors outputs = call_root(body_, inputs, {});
  const Tensor last = outputs[0][{all, Slice{.begin = -1}}];
  caches.assign(outputs.begin() + 1, outputs.end());
  return cast(scores_(last)[{all, 0}], DType::f32);
}

}  // namespace systolic::inline v0
