#include "systolic/transformers/layers/decoder.h"

#include <utility>

#include "systolic/nn/layer_state.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {

DecoderInputs::DecoderInputs(const Tensors& xs)
    : ids(xs.at(0)), starts(xs.at(1)), slot(xs.at(2)), caches(xs.begin() + 3, xs.end()) {}

Tensor DecoderInputs::slots_of_tokens() const { return iota({1, ids.shape()[1]}, 1) + slot; }

Tensor DecoderInputs::positions(int64_t count) const {
  return clip(slots_of_tokens() - expand_dims(starts, 1), 0, count - 1);
}

Tensor DecoderInputs::mask(std::optional<int64_t> window) const {
  const Tensor slots = iota({1, 1, caches.front().shape()[1]}, 2);
  const Tensor own = expand_dims(slots_of_tokens(), 2);
  Tensor seen = logical_and(slots <= own, slots >= expand_dims(expand_dims(starts, 1), 1));
  if (window) seen = logical_and(seen, slots > own - *window);
  return expand_dims(seen, 1);
}

bool has_caches(const Tensors& xs) { return xs.size() > 2 && xs[2].rank() == 0; }

Tensors read_through(const std::vector<Layer>& layers, const Tensor& x, const DecoderInputs& inputs,
                     CallContext& context) {
  Tensors results{x};
  const Tensor mask = layers.empty() ? Tensor() : inputs.mask();
  for (size_t i = 0; i < layers.size(); ++i) {
    const Tensor &keys = inputs.caches[2 * i], &values = inputs.caches[2 * i + 1];
    const Tensors read =
        context.call(layers[i], {results[0], mask, inputs.slot, keys, values}, true);
    results[0] = read[0];
    results.insert(results.end(), read.begin() + 1, read.end());
  }
  return results;
}

Tensor with_tokens(const Tensor& cache, const Tensor& slot, const Tensor& tokens) {
  return slice_update(cache, {0, slot, 0}, tokens);
}

Decoder::Decoder(const Network& network, const std::string& body, GenerationSpec sizes)
    : body_(network.layer(sizes.source ? sizes.source->decoder : body)), sizes_(std::move(sizes)) {
  if (sizes_.source) {
    words_ = network.layer(sizes_.source->words);
    const std::string& read = sizes_.source->read_words;
    read_words_ = read.empty() ? words_ : network.layer(read);
    encoder_ = network.layer(sizes_.source->encoder);
  }
  for (const std::string& name : sizes_.head) head_.push_back(network.layer(name));
}

Tensors Decoder::empty(int64_t rows, int64_t slots) const {
  const Tensor cache = zeros({rows, slots, sizes_.width}, body_.state()->policy.compute_dtype());
  return Tensors(static_cast<size_t>(2 * sizes_.layers), cache);
}

Tensors Decoder::read_source(const Tensor& ids, const Tensor& mask) const {
  const bool hears = sizes_.source->bins > 0;
  const Tensor states =
      call_root(*encoder_, hears ? Tensors{ids} : Tensors{(*read_words_)(ids), mask}, {})[0];
  Tensors result = call_root(body_, {states}, {});
  result.push_back(hears ? fill({states.shape()[0], states.shape()[1]}, 1, DType::i32) : mask);
  return result;
}

Tensor Decoder::states(const Tensor& ids, const Tensor& starts, const Tensor& slot, Tensors& caches,
                       const Tensors& source) const {
  Tensors inputs{words_ ? (*words_)(ids) : ids, starts, slot};
  inputs.insert(inputs.end(), caches.begin(), caches.end());
  inputs.insert(inputs.end(), source.begin(), source.end());
  Tensors outputs = call_root(body_, inputs, {});
  caches.assign(outputs.begin() + 1, outputs.end());
  return outputs[0];
}

Tensor Decoder::scores(Tensor states) const {
  for (const Layer& layer : head_) states = layer(states);
  return cast(states, DType::f32);
}

Tensor Decoder::read(const Tensor& ids, const Tensor& starts, const Tensor& slot, Tensors& caches,
                     const Tensors& source) const {
  const Tensor all_states = states(ids, starts, slot, caches, source);
  return scores(all_states[{all, Slice{.begin = -1}}])[{all, 0}];
}

Tensor Decoder::read_all(const Tensor& ids, const Tensor& starts, const Tensor& slot,
                         Tensors& caches) const {
  return scores(states(ids, starts, slot, caches, {}));
}

}  // namespace systolic::inline v0
