#include "systolic/transformers/layers/source_attention.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// For tokens 0, 1, ...: each sees itself and those before it, of these what `mask` shows.
Tensor causal_mask(int64_t tokens, const Tensor* mask) {
  const Shape square{1, 1, tokens, tokens};
  const Tensor before = iota(square, 3) <= iota(square, 2);
  return mask == nullptr ? before : logical_and(before, key_mask(*mask));
}

Tensors source_keys(const SourceDecoder& decoder, const Tensor& states, CallContext& context) {
  Tensors result;
  for (const Layer& layer : decoder.layers) {
    const Tensors both = context.call(layer, {states}, true);
    result.insert(result.end(), both.begin(), both.end());
  }
  return result;
}

Tensor finished(const SourceDecoder& decoder, const Tensor& x) {
  return decoder.finish ? decoder.finish(x) : x;
}

Tensor bias_of(const SourceDecoder& decoder, const Tensor& slots, int64_t keys) {
  return decoder.bias ? decoder.bias(slots, keys) : zeros({});
}

Tensors decode_whole(const SourceDecoder& decoder, const Tensors& xs, CallContext& context) {
  const int64_t tokens = xs[0].shape()[1];
  const Tensor mask = causal_mask(tokens, xs.size() > 3 ? &xs[3] : nullptr);
  const Tensor source_mask = key_mask(xs[2]);
  const Tensor bias = bias_of(decoder, iota({tokens}, 0), tokens);
  Tensor x = decoder.embed(xs[0], iota({1, tokens}, 1));
  for (const Layer& layer : decoder.layers) {
    x = through_layer(x, [&] {
      const Tensors keys = context.call(layer, {xs[1]}, true);
      return inner(context, layer, {x, mask, keys.at(0), keys.at(1), source_mask, bias});
    });
  }
  return {finished(decoder, x)};
}

Tensors decode_on(const SourceDecoder& decoder, const Tensors& xs, CallContext& context) {
  const size_t layers = decoder.layers.size();
  const auto caches_end = xs.begin() + 3 + static_cast<std::ptrdiff_t>(2 * layers);
  const DecoderInputs in(Tensors(xs.begin(), caches_end));
  const Tensors keys(caches_end, xs.end() - 1);
  const Tensor source_mask = key_mask(xs.back());
  Tensors results{decoder.embed(in.ids, in.positions(decoder.positions))};
  if (layers == 0) return {finished(decoder, results[0])};
  const Tensor mask = in.mask();
  const Tensor slots = iota({in.ids.shape()[1]}, 0) + in.slot;
  const Tensor bias = bias_of(decoder, slots, in.caches.front().shape()[1]);
  for (size_t i = 0; i < layers; ++i) {
    const Tensors read = context.call(decoder.layers[i],
                                      {results[0], mask, keys[2 * i], keys[2 * i + 1], source_mask,
                                       bias, in.slot, in.caches[2 * i], in.caches[2 * i + 1]},
                                      true);
    results[0] = read[0];
    results.insert(results.end(), read.begin() + 1, read.end());
  }
  results[0] = finished(decoder, results[0]);
  return results;
}

}  // namespace

SourceLayerInputs::SourceLayerInputs(const Tensors& xs)
    : x(xs.at(0)),
      mask(xs.at(1)),
      keys(xs.at(2)),
      values(xs.at(3)),
      source_mask(xs.at(4)),
      bias(xs.at(5)),
      own(xs.begin() + 6, xs.end()) {}

void SourceLayerInputs::add_tokens_before(Tensor& key, Tensor& value) const {
  if (!reads_on()) return;
  key = with_tokens(own[1], own[0], key);
  value = with_tokens(own[2], own[0], value);
}

Tensors decode(const SourceDecoder& decoder, const Tensors& xs, CallContext& context) {
  if (xs.size() == 1) return source_keys(decoder, xs[0], context);
  if (has_caches(xs)) return decode_on(decoder, xs, context);
  return decode_whole(decoder, xs, context);
}

}  // namespace systolic::inline v0
