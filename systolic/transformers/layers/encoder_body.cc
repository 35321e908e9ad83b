#include "systolic/transformers/layers/encoder_body.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/decoder.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/layers/windowed_attention.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* types_table = "embeddings.token_type_embeddings";

}  // namespace

Tensor EncoderLayer::attend(const Tensor& query, const Tensor& key, const Tensor& value,
                            const AttentionOptions& options, CallContext& context) const {
  const Shape& shape = query.shape();
  // Where only shapes are wanted, sizes are large stand-ins.
  if (!sparse || shape[1] <= sparse->most_in_full() || context.infers_shapes()) {
    return attention(query, key, value, sizes.heads, sizes.probability_dropout, options, context);
  }
  const auto split = [&](const Tensor& x) {
    return reshape(x, {shape[0], shape[1], sizes.heads, shape[2] / sizes.heads});
  };
  return reshape(block_sparse_attention(split(query), split(key), split(value), *options.mask,
                                        *sparse, context),
                 shape);
}

Tensor EncoderLayer::projected(const Tensor& x, const char* layer, CallContext& context) const {
  Dense spec = linear(sizes.hidden_size, sizes.initializer_range, layer);
  spec.use_bias = sizes.projection_bias;
  return inner(context, std::move(spec), {x});
}

Tensor EncoderLayer::position_scores(const Tensor& query, const Tensor& key,
                                     const std::vector<Tensor>& xs, CallContext& context) const {
  const auto rows = [&](size_t i, const char* own, const char* shared) {
    const Tensor kept = dropped(xs[i], sizes.output_dropout, "attention.self.pos_dropout", context);
    return projected(kept, disentangled->shares_projections ? shared : own, context);
  };
  DisentangledScores scores{.heads = sizes.heads};
  if (disentangled->content_to_position)
    scores.add_content_to_position(query, rows(2, "attention.self.pos_key_proj", names.key));
  if (disentangled->position_to_content)
    scores.add_position_to_content(key, rows(3, "attention.self.pos_query_proj", names.query));
  return scores.sum * disentangled->scale(sizes.hidden_size / sizes.heads);
}

Tensor EncoderLayer::attended_in_windows(const std::vector<Tensor>& xs,
                                         CallContext& context) const {
  const auto three = [&](const char* end) {
    const auto part = [&](const char* name) {
      return projected(xs[0], str(name, end).c_str(), context);
    };
    return AttendedVectors{part(names.query), part(names.key), part(names.value)};
  };
  return windowed_attention(
      three(""), three("_global"), xs[1], xs[2],
      {.heads = sizes.heads, .reach = *reach, .dropout = sizes.probability_dropout}, context);
}

std::vector<Tensor> EncoderLayer::attended(const std::vector<Tensor>& xs,
                                           CallContext& context) const {
  const Layer dense = linear(sizes.hidden_size, sizes.initializer_range, names.attention_output);
  if (reach) return {inner(context, dense, {attended_in_windows(xs, context)})};
  const Tensor query = projected(xs[0], names.query, context);
  Tensor key = projected(xs[0], names.key, context), value = projected(xs[0], names.value, context);
  const bool reads_on = xs.size() > 4;
  if (reads_on) {
    key = with_tokens(xs[3], xs[2], key);
    value = with_tokens(xs[4], xs[2], value);
  }
  AttentionOptions options{.mask = xs[1], .causal = sizes.causal && !reads_on};
  if (disentangled) options.scale = disentangled->scale(sizes.hidden_size / sizes.heads);
  if (xs.size() == 3) options.bias = xs[2];
  if (xs.size() == 4) options.bias = position_scores(query, key, xs, context);
  const Tensor mixed = attend(query, key, value, options, context);
  std::vector<Tensor> results{inner(context, dense, {mixed})};
  if (reads_on) results.insert(results.end(), {key, value});
  return results;
}

std::vector<Tensor> EncoderLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const double range = sizes.initializer_range;
  const bool first = sizes.normalizes_first;
  const auto normalized = [&](const Tensor& x, const char* norm) {
    return layer_norm(x, sizes.layer_norm_epsilon, norm, context);
  };
  std::vector<Tensor> inputs = xs;
  if (first) inputs[0] = normalized(xs[0], names.attention_norm);
  std::vector<Tensor> results = attended(inputs, context);
  Tensor middle =
      xs[0] + dropped(results[0], sizes.attention_dropout, "attention.output.dropout", context);
  if (!first) middle = normalized(middle, names.attention_norm);
  const Tensor wide = inner(
      context,
      linear(sizes.intermediate_size, range, names.inner, hidden_activation(sizes.activation)),
      {first ? normalized(middle, names.output_norm) : middle});
  const Tensor narrow = inner(context, linear(sizes.hidden_size, range, names.output), {wide});
  const Tensor sum = middle + dropped(narrow, sizes.output_dropout, "output.dropout", context);
  results[0] = first ? sum : normalized(sum, names.output_norm);
  return results;
}

Tensor EncoderBody::embedded(const std::vector<Tensor>& positioned, const Tensor& type_ids,
                             CallContext& context) const {
  const double range = sizes.initializer_range;
  Tensor sum = token_vectors(words, positioned[0], context);
  if (word_scale != 1) sum = sum * word_scale;
  if (types > 0) {
    sum = sum + inner(context,
                      TiedEmbedding{.tokens = types,
                                    .size = embedding_size,
                                    .initializer_range = range,
                                    .name = types_table},
                      {type_ids});
  }
  sum = sum + inner(context,
                    LearnedPositions{.count = positions,
                                     .size = embedding_size,
                                     .padding = padding_position,
                                     .initializer_range = range,
                                     .sinusoidal = sinusoidal_positions,
                                     .name = "embeddings.position_embeddings"},
                    positioned);
  const auto normalized = [&](const Tensor& x) {
    if (sizes.normalizes_first) return x;
    return layer_norm(x, sizes.layer_norm_epsilon, "embeddings.LayerNorm", context);
  };
  const auto thinned = [&](const Tensor& x) {
    return dropped(x, embedding_dropout, "embeddings.dropout", context);
  };
  const Tensor kept = drops_before_norm ? normalized(thinned(sum)) : thinned(normalized(sum));
  if (projection.empty()) return kept;
  return inner(context, linear(sizes.hidden_size, range, projection), {kept});
}

// Padding is hidden by the mask; types are those of the first segment. The tables see padded ids,
// so the data's own are checked here.
std::vector<Tensor> EncoderBody::padded_to_blocks(const std::vector<Tensor>& xs,
                                                  CallContext& context) const {
  const int64_t tokens = xs[0].shape()[1], block = sparse->block_size;
  const int64_t more = (block - tokens % block) % block;
  if (more == 0) return xs;
  context.check_integers_below(xs[0], vocabulary);
  if (types > 0) context.check_integers_below(xs.at(2), types);
  std::vector<Tensor> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    const auto value = static_cast<double>(i == 0 ? padding_token : 0);
    result.push_back(pad(xs[i], {{0, 0}, {0, more}}, value));
  }
  return result;
}

void EncoderBody::check_blocks(const std::vector<Tensor>& xs) const {
  if (!keeps_layers() && !given_positions() && xs[1].rank() == 2 && !is_float(xs[0].dtype()))
    return;
  raise<Unimplemented>(
      {.what = str("sparse attention, for texts of ", xs[0].shape()[1],
                   " tokens, with output_hidden_states, output_attentions, position_ids, "
                   "inputs_embeds or a mask of rank 3"),
       .wanted = str("at most ", sparse->most_in_full(), " tokens, whose attention is full"),
       .hint = "{.config = {{\"attention_type\", \"original_full\"}}}",
       .location = location});
}

std::vector<Layer> EncoderBody::all_layers() const {
  std::vector<Layer> result;
  for (const std::string& layer : layers) {
    EncoderLayer spec{.sizes = sizes, .names = names, .sparse = sparse, .name = layer};
    if (sparse) spec.sparse->seed = static_cast<uint32_t>(result.size());
    if (!reaches.empty()) spec.reach = reaches[result.size()];
    result.emplace_back(std::move(spec));
  }
  return result;
}

// [1, heads, tokens, tokens]
Tensor EncoderBody::relative_bias(int64_t tokens, CallContext& context) const {
  const std::vector<int32_t> buckets = bucket_of_distances(*relative);
  const Layer table = TiedEmbedding{.tokens = relative->count,
                                    .size = sizes.heads,
                                    .initializer_range = sizes.initializer_range,
                                    .name = "encoder.relative_attention_bias"};
  const Tensor rows = Tensor(Literal::from(buckets, {static_cast<int64_t>(buckets.size())}));
  return bias_of_distances(inner(context, table, {rows}), iota({tokens}, 0), tokens);
}

Tensor EncoderBody::finished(const Tensor& x, CallContext& context) const {
  if (!sizes.normalizes_first) return x;
  return last_state(layer_norm(x, sizes.layer_norm_epsilon, "encoder.LayerNorm", context));
}

std::vector<LookupLimit> EncoderBody::lookups() const {
  std::vector<LookupLimit> result = lookups_of(words);
  if (types > 0) result.push_back({.input = 2, .limit = types, .layer = types_table});
  return result;
}

std::vector<Tensor> EncoderBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t tokens = xs.at(0).shape()[1];
  if (has_caches(xs)) return call_with_caches(xs, context);
  const bool blocks = sparse && tokens > sparse->most_in_full() && !context.infers_shapes();
  if (blocks) check_blocks(xs);
  const std::vector<Tensor> padded = blocks ? padded_to_blocks(xs, context) : xs;
  Tensor x = embedded({padded[0]}, types > 0 ? padded.at(2) : Tensor(), context);
  const Tensor mask = key_mask(padded.at(1));
  std::vector<Tensor> inputs{x, mask};
  if (relative) inputs.push_back(relative_bias(tokens, context));
  if (!reaches.empty()) inputs.push_back(logical_and(xs.back() != 0, xs.at(1) != 0));
  for (const Layer& layer : all_layers()) inputs[0] = through_layer(layer, inputs, context);
  x = finished(inputs[0], context);
  if (blocks) x = slice(x, {0, 0, 0}, {x.shape()[0], tokens, x.shape()[2]});
  if (pooler.empty()) return {x};
  const Layer dense = linear(sizes.hidden_size, sizes.initializer_range, pooler, "tanh");
  return {x, inner(context, dense, {x[{all, 0}]})};
}

std::vector<Tensor> EncoderBody::call_with_caches(const std::vector<Tensor>& xs,
                                                  CallContext& context) const {
  const DecoderInputs in(xs);
  const int64_t first = padding_position ? *padding_position + 1 : 0;
  const Tensor places = in.positions(positions - first) + first;
  const Tensor x = embedded({in.ids, places}, zeros(in.ids.shape(), DType::i32), context);
  std::vector<Tensor> results = read_through(all_layers(), x, in, context);
  results[0] = finished(results[0], context);
  return results;
}

std::vector<std::string> numbered_layers(const std::string& prefix, int64_t count) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < count; ++i) names.push_back(str(prefix, i));
  return names;
}

}  // namespace systolic::inline v0
