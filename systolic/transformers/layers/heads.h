// The heads that stand on a body's features, as Symbols. Internal to transformers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/nn/symbol.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

struct HeadOptions {
  int64_t labels = 2;
  double initializer_range = 0.02;
  double dropout = 0;  // of what comes in
  std::string name = "classifier";
};

// x [batch, ..., size] -> {logits [batch, ..., labels]}.
std::vector<Symbol> classifier_head(const Symbol& x, const HeadOptions& options);
// The same for tokens, x [batch, tokens, size], of which those count in losses and metrics where
// `counted` [batch, tokens] is 1.
std::vector<Symbol> classifier_head(const Symbol& x, const Symbol& counted,
                                    const HeadOptions& options);

// The same after a dense layer: classifier.dense, the activation, classifier.out_proj.
std::vector<Symbol> deep_classifier_head(const Symbol& x, int64_t size, Activation activation,
                                         HeadOptions options);

// Where the answer begins and ends: x [batch, tokens, size] -> {start_logits, end_logits}, [batch,
// tokens] each.
std::vector<Symbol> span_head(const Symbol& x, const HeadOptions& options);

// One class for a text that is read from left to right: x [batch, tokens, size], {input_ids,
// attention_mask} -> {logits [batch, labels]} of the last token that is not `padding`; without one,
// of the last that the mask shows.
std::vector<Symbol> last_token_head(const Symbol& x, const std::vector<Symbol>& inputs,
                                    std::optional<int64_t> padding, const HeadOptions& options);

// Which token stands where: x [batch, tokens, size] -> {logits [batch, tokens, vocabulary]}, by the
// table of the tokens' vectors, or, where it is not tied to that, by a dense layer of its own.
struct TokenScores {
  Layer words;  // a TiedEmbedding
  int64_t tokens = 0;
  bool tied = true;
  bool use_bias = true;
  double initializer_range = 0.02;
  std::string name;  // of the layer
  // Where it is not tied, of a dense layer inside that layer, whose own bias then has no effect but
  // stands in checkpoints: "decoder". Empty: the layer is the dense one.
  std::string own_name = {};
  // Scores become cap * tanh(score / cap), in a layer named logit_cap_name.
  std::optional<double> cap = {};
  std::optional<Layer> last = {};  // that they go through before they are the output
};
inline constexpr const char* logit_cap_name = "logit_cap";
std::vector<Symbol> token_scores(const Symbol& x, const TokenScores& scores);

// What the layers of such a head are called in checkpoints: BERT's names.
struct LanguageModelNames {
  const char* scores = "cls.predictions";
  const char* own_scores = "decoder";  // TokenScores::own_name
  const char* dense = "cls.predictions.transform.dense";
  const char* norm = "cls.predictions.transform.LayerNorm";

  // In the order in which they are called.
  std::vector<std::string> layers() const { return {dense, norm, scores}; }
};

// The same after a dense layer, an activation and a LayerNormalization.
struct LanguageModelHead {
  Layer words;
  int64_t tokens = 0;
  bool tied = true;
  double initializer_range = 0.02;
  int64_t size = 0;        // of a token's vector
  std::string activation;  // of hidden_activations()
  double epsilon = 1e-12;
  LanguageModelNames names = {};
};
std::vector<Symbol> language_model_head(const Symbol& x, const LanguageModelHead& head);

// The table of the tokens' vectors, which bodies and language models' heads share.
Layer word_embeddings(int64_t vocabulary, int64_t size, double initializer_range,
                      std::optional<int64_t> padding);

// {last_hidden_state, pooler_output}, as many as there are.
std::vector<Symbol> named_features(const std::vector<Symbol>& features);

// input_ids, attention_mask, and token_type_ids where there are types.
std::vector<InputOptions> text_inputs(int64_t vocabulary, int64_t types,
                                      std::optional<int64_t> padding);

}  // namespace systolic::inline v0
