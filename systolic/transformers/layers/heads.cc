#include "systolic/transformers/layers/heads.h"

#include <utility>

#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"
#include "systolic/trace/ops/elementwise.h"

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

}  // namespace

std::vector<Symbol> classifier_head(const Symbol& x, const HeadOptions& options) {
  const Symbol kept = Dropout{.rate = options.dropout}(x);
  const Layer classifier = linear(options.labels, options.initializer_range, options.name);
  return {named_scores(classifier(kept), "logits")};
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

std::vector<Symbol> token_scores(const Symbol& x, const TokenScores& scores) {
  if (scores.tied) {
    const Layer projection = TiedProjection{.words = scores.words,
                                            .tokens = scores.tokens,
                                            .use_bias = scores.use_bias,
                                            .name = scores.name};
    return {named_scores(projection(x), "logits")};
  }
  const bool nested = !scores.own_name.empty();
  Dense own =
      linear(scores.tokens, scores.initializer_range, nested ? scores.own_name : scores.name);
  own.use_bias = scores.use_bias;
  Layer projection = own;
  if (nested)
    projection = OwnProjection{.tokens = scores.tokens, .dense = own, .name = scores.name};
  return {named_scores(projection(x), "logits")};
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
