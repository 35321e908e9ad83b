#include "systolic/transformers/layers/heads.h"

#include <utility>

#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// x · tableᵀ + bias.
struct TiedProjection {
  static constexpr const char* kind = "TiedProjection";
  static constexpr LayerTraits traits = {};
  Layer words;
  int64_t tokens;
  bool use_bias;
  std::string name;

  Tensor call(const Tensor& x, CallContext& context) const {
    const Tensor scores = words(x, context);
    return use_bias ? scores + context.weight("bias", {tokens}, {.initializer = "zeros"}) : scores;
  }
};

// A dense layer in a module with a bias of its own, which only a tied head would add.
struct OwnProjection {
  static constexpr const char* kind = "OwnProjection";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  int64_t tokens;
  Dense dense;
  std::string name;

  Tensor call(const Tensor& x, CallContext& context) const {
    context.add_weight("bias", {tokens}, {.initializer = "zeros", .trainable = false});
    return inner(context, dense, {x});
  }
};

// Far from 0, scores grow no more.
struct LogitCap {
  static constexpr const char* kind = "LogitCap";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  double cap = 1;
  std::string name;

  Tensor call(const Tensor& x, CallContext&) const { return tanh(x / cap) * cap; }
};

// {x [batch, tokens, n], input_ids, attention_mask [batch, tokens]} -> [batch, n]: that of the last
// token which is not `padding`; where there is no such token, of the last that the mask shows.
struct LastToken {
  static constexpr const char* kind = "LastToken";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::optional<int64_t> padding;

  Tensor call(const std::vector<Tensor>& xs, CallContext&) const {
    const Shape& shape = xs.at(0).shape();
    const int64_t tokens = shape[1];
    const Tensor place = broadcast_to(iota({1, tokens}, 1), {shape[0], tokens});
    const bool knows_ids = padding && !is_float(xs.at(1).dtype());
    const Tensor is_real =
        knows_ids ? cast(xs[1], DType::i32) != *padding : shown_tokens(xs.at(2)) != 0;
    const Tensor last = max(where(is_real, place, 0), {.axis = 1, .keepdims = true});
    return sum(where(expand_dims(place == last, 2), xs.at(0), 0.0), {.axis = 1});
  }
};

}  // namespace

std::vector<Symbol> classifier_head(const Symbol& x, const HeadOptions& options) {
  const Symbol kept = Dropout{.rate = options.dropout}(x);
  const Layer classifier = linear(options.labels, options.initializer_range, options.name);
  return {named_scores(classifier(kept), "logits")};
}

std::vector<Symbol> classifier_head(const Symbol& x, const Symbol& counted,
                                    const HeadOptions& options) {
  const Layer classifier = linear(options.labels, options.initializer_range, options.name);
  const Symbol kept = Dropout{.rate = options.dropout}(x);
  return {named_scores(classifier(kept), counted, "logits")};
}

std::vector<Symbol> deep_classifier_head(const Symbol& x, int64_t size, Activation activation,
                                         HeadOptions options) {
  const Layer dense =
      linear(size, options.initializer_range, options.name + ".dense", std::move(activation));
  options.name += ".out_proj";
  return classifier_head(dense(Dropout{.rate = options.dropout}(x)), options);
}

Layer word_embeddings(int64_t vocabulary, int64_t size, double initializer_range,
                      std::optional<int64_t> padding) {
  return TiedEmbedding{.tokens = vocabulary,
                       .size = size,
                       .padding = padding,
                       .initializer_range = initializer_range,
                       .name = "embeddings.word_embeddings"};
}

std::vector<Symbol> span_head(const Symbol& x, const HeadOptions& options) {
  constexpr int64_t begin_and_end = 2;
  const Layer spans = linear(begin_and_end, options.initializer_range, "qa_outputs");
  const Symbol logits = spans(Dropout{.rate = options.dropout}(x));
  return {named_scores(logits[{ellipsis, 0}], "start_logits"),
          named_scores(logits[{ellipsis, 1}], "end_logits")};
}

std::vector<Symbol> last_token_head(const Symbol& x, const std::vector<Symbol>& inputs,
                                    std::optional<int64_t> padding, const HeadOptions& options) {
  Dense score = linear(options.labels, options.initializer_range, options.name);
  score.use_bias = false;
  const Layer last = LastToken{.padding = padding};
  return {named_scores(last({Layer(score)(x), inputs.at(0), inputs.at(1)}), "logits")};
}

namespace {

Layer token_projection(const TokenScores& scores) {
  if (scores.tied) {
    return TiedProjection{.words = scores.words,
                          .tokens = scores.tokens,
                          .use_bias = scores.use_bias,
                          .name = scores.name};
  }
  const bool nested = !scores.own_name.empty();
  Dense own =
      linear(scores.tokens, scores.initializer_range, nested ? scores.own_name : scores.name);
  own.use_bias = scores.use_bias;
  if (nested) return OwnProjection{.tokens = scores.tokens, .dense = own, .name = scores.name};
  return own;
}

}  // namespace

std::vector<Symbol> token_scores(const Symbol& x, const TokenScores& scores) {
  Symbol logits = token_projection(scores)(x);
  if (scores.cap) logits = Layer(LogitCap{.cap = *scores.cap, .name = logit_cap_name})(logits);
  if (scores.last) logits = (*scores.last)(logits);
  return {named_scores(logits, "logits")};
}

std::vector<Symbol> language_model_head(const Symbol& x, const LanguageModelHead& head) {
  const Layer dense = linear(head.size, head.initializer_range, head.names.dense,
                             hidden_activation(head.activation));
  const Layer norm = LayerNormalization{.epsilon = head.epsilon, .name = head.names.norm};
  return token_scores(norm(dense(x)), {.words = head.words,
                                       .tokens = head.tokens,
                                       .tied = head.tied,
                                       .initializer_range = head.initializer_range,
                                       .name = head.names.scores,
                                       .own_name = head.names.own_scores});
}

std::vector<Symbol> named_features(const std::vector<Symbol>& features) {
  std::vector<Symbol> result{named_output(features[0], "last_hidden_state")};
  if (features.size() > 1) result.push_back(named_output(features[1], "pooler_output"));
  return result;
}

std::vector<InputOptions> text_inputs(int64_t vocabulary, int64_t types,
                                      std::optional<int64_t> padding) {
  std::vector<InputOptions> inputs{
      {.shape = Shape{-1}, .dtype = DType::i32, .name = "input_ids", .values_below = vocabulary},
      {.shape = Shape{-1},
       .dtype = DType::i32,
       .name = "attention_mask",
       .default_value = 1,
       .masks = padding}};
  if (types > 0) {
    inputs.push_back({.shape = Shape{-1},
                      .dtype = DType::i32,
                      .name = "token_type_ids",
                      .default_value = 0,
                      .values_below = types});
  }
  return inputs;
}

}  // namespace systolic::inline v0
