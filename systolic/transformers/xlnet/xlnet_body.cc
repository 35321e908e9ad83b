#include "systolic/transformers/xlnet/xlnet_body.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/xlnet/xlnet_layer.h"

namespace systolic::inline v0 {
namespace {

// What the body was called on.
struct Inputs {
  Tensor ids, attention_mask, types;
  std::optional<Tensor> perm_mask = {}, target_mapping = {}, mems = {};

  int64_t tokens() const { return ids.shape()[1]; }
  int64_t memory() const { return mems ? mems->shape()[2] : 0; }
  // For one layer: [batch, memory, d_model].
  Tensor memory_of(int64_t layer) const { return (*mems)[{all, layer}]; }
};

Inputs inputs_of(const XLNetBody& body, const std::vector<Tensor>& xs) {
  Inputs result{.ids = xs.at(0), .attention_mask = xs.at(1), .types = cast(xs.at(2), DType::i32)};
  size_t next = 3;
  if (body.takes_perm_mask) result.perm_mask = xs.at(next++);
  if (body.takes_target_mapping) result.target_mapping = xs.at(next++);
  if (body.takes_mems) result.mems = xs.at(next++);
  return result;
}

// How many distances `tokens` queries and `keys` keys can have.
int64_t distances(int64_t tokens, int64_t keys, const XLNetConfig& config) {
  return keys + (config.attn_type == "bi" ? tokens : 1);
}

// These distances, from the largest down: waves of d_model lengths, [distances, d_model], sines
// first (section 2.2 and Dai et al. 2019, section 3.3).
Literal distance_waves(int64_t tokens, int64_t keys, const XLNetConfig& config) {
  const int64_t count = distances(tokens, keys, config), half = config.d_model / 2;
  Literal result(DType::f32, {count, config.d_model});
  const auto values = result.mutable_data<float>();
  for (int64_t i = 0; i < count; ++i) {
    auto distance = static_cast<double>(keys - i);
    const auto most = static_cast<double>(config.clamp_len);
    if (config.clamp_len > 0) distance = std::clamp(distance, -most, most);
    for (int64_t k = 0; k < half; ++k) {
      const double share = 2 * static_cast<double>(k) / static_cast<double>(config.d_model);
      const double angle = distance / std::pow(10000.0, share);
      const auto at = static_cast<size_t>(i * config.d_model + k);
      values[at] = static_cast<float>(std::sin(angle));
      values[at + static_cast<size_t>(half)] = static_cast<float>(std::cos(angle));
    }
  }
  return result;
}

// Which keys the queries of each stream see, pred [batch, 1, tokens, keys]: those that neither pad
// nor are hidden; what stands in its own place only the content stream sees.
struct Masks {
  Tensor content, query;
};
Masks masks_of(const Inputs& in, const XLNetConfig& config) {
  const int64_t tokens = in.tokens(), memory = in.memory();
  Tensor seen = key_mask(in.attention_mask);
  if (in.perm_mask) seen = logical_and(seen, expand_dims(*in.perm_mask <= 0, 1));
  if (memory > 0) {
    const Shape front{seen.shape()[0], 1, seen.shape()[2], memory};
    seen = concat({fill(front, 1, DType::pred), seen}, 3);
  }
  const Shape square{tokens, memory + tokens};
  const Tensor row = iota(square, 0) + memory, column = iota(square, 1);
  if (config.attn_type == "uni") {
    seen = logical_and(seen, column <= row);
    if (config.same_length) {
      seen = logical_and(seen, logical_or(column >= tokens, column >= row - memory));
    }
  }
  return {.content = logical_or(seen, row == column),
          .query = broadcast_to(seen, {seen.shape()[0], 1, tokens, memory + tokens})};
}

// Pairs of query and key of different segments; the memory is of segment 0.
Tensor of_other_segments(const Inputs& in) {
  Tensor keys = in.types;
  if (in.memory() > 0) {
    keys = concat({zeros({keys.shape()[0], in.memory()}, DType::i32), keys}, 1);
  }
  return expand_dims(expand_dims(in.types, 2) != expand_dims(keys, 1), 1);
}

// What the next segment sees of this one, [batch, memory, d_model].
Tensor remembered(Tensor x, const Tensor& before, const XLNetConfig& config) {
  const auto part = [&](int64_t begin, int64_t count) {
    return slice(x, {0, begin, 0}, {x.shape()[0], count, x.shape()[2]});
  };
  if (const int64_t kept = config.reuse_len.value_or(0); kept > 0 && kept < x.shape()[1]) {
    x = part(0, kept);
  }
  if (before.shape()[1] > 0) x = concat({before, x}, 1);
  const int64_t length = x.shape()[1];
  if (const int64_t most = config.mem_len.value_or(0); most > 0 && most < length) {
    x = part(length - most, most);
  }
  return stop_gradient(x);
}

}  // namespace

std::vector<LookupLimit> XLNetBody::lookups() const { return lookups_of(words); }

namespace {

constexpr int64_t base = 256;

// [batch, tokens] -> [batch, tokens, digits], and back.
Tensor digits_of(const Tensor& ids, DType dtype) {
  Tensors digits;
  Tensor rest = ids;
  for (int64_t i = 0; i < XLNetBody::digits_of_id; ++i) {
    digits.push_back(cast(rest % base, dtype));
    rest = rest / base;
  }
  return stack(digits, 2);
}

Tensor ids_of(const Tensor& digits) {
  Tensor ids = cast(digits[{all, all, XLNetBody::digits_of_id - 1}], DType::i32);
  for (int64_t i = XLNetBody::digits_of_id - 2; i >= 0; --i)
    ids = ids * base + cast(digits[{all, all, i}], DType::i32);
  return ids;
}

// The outputs for such inputs.
std::vector<Tensor> read(const XLNetBody& body, const Inputs& in, CallContext& context);

}  // namespace

std::vector<Tensor> XLNetBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (has_caches(xs)) return call_with_caches(xs, context);
  return read(*this, inputs_of(*this, xs), context);
}

std::vector<Tensor> XLNetBody::call_with_caches(const std::vector<Tensor>& xs,
                                                CallContext& context) const {
  const DecoderInputs in(xs);
  const Tensor digits = with_tokens(in.caches[0], in.slot, digits_of(in.ids, in.caches[0].dtype()));
  const int64_t rows = digits.shape()[0], places = digits.shape()[1] + 1;
  const Tensor place = iota({1, places}, 1), end = in.slot + in.ids.shape()[1];
  // The token that is to be predicted stands after the text, where nobody sees it.
  const Tensor seen = logical_and(place >= expand_dims(in.starts, 1), place < end);
  const Tensor mapping =
      broadcast_to(expand_dims(cast(place == end, DType::f32), 1), {rows, 1, places});
  const Inputs text{.ids = concat({ids_of(digits), zeros({rows, 1}, DType::i32)}, 1),
                    .attention_mask = cast(seen, DType::i32),
                    .types = zeros({rows, places}, DType::i32),
                    .target_mapping = mapping};
  return {read(*this, text, context)[0], digits, in.caches[1]};
}

namespace {

std::vector<Tensor> read(const XLNetBody& body, const Inputs& in, CallContext& context) {
  const XLNetConfig& config = body.config;
  // Stands for tokens that are to be predicted.
  const Variable unknown =
      context.add_weight("mask_emb", {1, 1, config.d_model},
                         {.initializer = RandomNormal{.stddev = config.initializer_range},
                          .trainable = body.takes_target_mapping});
  const int64_t tokens = in.tokens(), keys = in.memory() + tokens;
  const Masks masks = masks_of(in, config);
  const Tensor waves =
      cast(context.infers_shapes() ? zeros({distances(tokens, keys, config), config.d_model})
                                   : Tensor(distance_waves(tokens, keys, config)),
           context.compute_dtype());
  const Tensor kept = dropped(expand_dims(waves, 0), config.dropout, "waves_dropout", context);
  Tensor x = dropped(token_vectors(body.words, in.ids, context), config.dropout, "dropout",
                     context),
         g;
  if (in.target_mapping) {
    const Shape places{x.shape()[0], in.target_mapping->shape()[1], config.d_model};
    g = dropped(broadcast_to(cast(unknown.value(), x.dtype()), places), config.dropout,
                "query_dropout", context);
  }
  const auto keep_states = [&] {
    keep_state(x);
    if (in.target_mapping) keep_state(g);
  };
  keep_states();
  std::vector<Tensor> mems;
  for (int64_t i = 0; i < config.n_layer; ++i) {
    std::vector<Tensor> given{x, masks.content, of_other_segments(in), kept};
    if (in.mems) {
      given.push_back(cast(in.memory_of(i), x.dtype()));
      mems.push_back(remembered(x, given.back(), config));
    }
    if (in.target_mapping) {
      given.insert(given.end(), {g, masks.query, cast(*in.target_mapping, x.dtype())});
    }
    const Layer layer = XLNetLayer{.config = config, .name = str("layer.", i)};
    const std::vector<Tensor> streams = layer_outputs(layer, given, context);
    x = streams[0];
    if (in.target_mapping) g = streams[1];
    keep_states();
  }
  std::vector<Tensor> result{
      dropped(in.target_mapping ? g : x, config.dropout, "output_dropout", context)};
  if (in.mems) result.push_back(mems.empty() ? *in.mems : stack(mems, 1));
  return result;
}

}  // namespace

}  // namespace systolic::inline v0
