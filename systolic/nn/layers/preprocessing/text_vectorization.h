// Texts to integers, or to bags of words (keras.layers.TextVectorization): they are standardized,
// split, joined to n-grams, and looked up in a vocabulary. It runs on the host, in a pipeline.
//
//   TextVectorization vectorize{.max_tokens = 10'000, .output_sequence_length = 200};
//   vectorize.adapt(train.map([](const Example& e) { return e["text"]; }).batch(64));
//   train = train.batch(32).map([=](const Literal& text, const Literal& label) {
//     return std::pair(vectorize(text), label);
//   });
//
// Input: strings [rows] or [rows, 1], or one. Output for "int": i64 [rows, length], 0 after a row's
// last token and 1 for unknown ones, length that of the longest row or output_sequence_length; for
// "multi_hot", "count" and "tf_idf": f32 [rows, depth], without a place for padding. One string has
// no axis of rows. Not split: [rows, tokens], or [tokens] for one row.
//
// "lower" and "strip_punctuation" know ASCII alone, as TensorFlow's ops do. For other rules give
// functions: .standardize_function, .split_function.
#pragma once

#include <functional>

#include "systolic/core/example.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/lookup_fields.h"
#include "systolic/nn/layers/shared_fields.h"
#include "systolic/preprocessing/text_tokens.h"

namespace systolic::inline v0 {

// What is done to a text before it is split (text_tokens.h).
struct StandardizeNames {
  SYSTOLIC_NAMES(
      throw "standardize must be one of: none lower strip_punctuation lower_and_strip_punctuation")
};
// A name of them.
using Standardize = Choice<StandardizeNames>;
// Where a text is split.
struct TextSplitNames {
  SYSTOLIC_NAMES(throw "split must be one of: none whitespace character")
};
// A name of them.
using TextSplit = Choice<TextSplitNames>;
// How the places of a text are given on (encode.h).
struct TextOutputNames {
  SYSTOLIC_NAMES(throw "output_mode must be one of: int multi_hot count tf_idf")
};
// A name of them.
using TextOutput = Choice<TextOutputNames>;

// Keras writes null for "none".
Config to_config(Standardize rule);
Config to_config(TextSplit rule);
void from_config(const Config& config, Standardize& rule);
void from_config(const Config& config, TextSplit& rule);

// Widths of n-grams: `.ngrams = 2` are those of 1 and 2 tokens, `.ngrams = {2}` those of 2 alone.
class Ngrams {
 public:
  Ngrams() = default;
  Ngrams(int64_t up_to);                                      // NOLINT: Keras writes a number
  Ngrams(int up_to) : Ngrams(static_cast<int64_t>(up_to)) {}  // NOLINT
  Ngrams(std::initializer_list<int64_t> widths) : widths_(widths) {}
  explicit Ngrams(std::vector<int64_t> widths) : widths_(std::move(widths)) {}

  const std::vector<int64_t>& widths() const { return widths_; }
  friend bool operator==(const Ngrams&, const Ngrams&) = default;

 private:
  std::vector<int64_t> widths_;
};
Config to_config(const Ngrams& ngrams);
void from_config(const Config& config, Ngrams& ngrams);

struct TextVectorization {
  static constexpr const char* kind = "TextVectorization";
  static constexpr LayerTraits traits = {};
  static constexpr bool runs_on_host = true;
  std::optional<int64_t> max_tokens = {};
  Standardize standardize = "lower_and_strip_punctuation";
  TextSplit split = "whitespace";
  Ngrams ngrams = {};
  TextOutput output_mode = "int";
  std::optional<int64_t> output_sequence_length = {};  // for "int"
  bool pad_to_max_tokens = false;
  Vocabulary vocabulary = {};
  TokenWeights idf_weights = {};
  // Instead of the names above, for one string each; called by several threads where the map that
  // calls the layer is. Not part of the configuration.
  std::function<std::string(std::string_view)> standardize_function = {};
  std::function<std::vector<std::string>(std::string_view)> split_function = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Literal operator()(const Literal& texts, SourceLocation at = SourceLocation::current()) const;
  // Keras's `ragged`: the places of all rows one after the other, i64 "values", and where each
  // starts and the last ends, i64 "row_splits" (rows + 1,).
  Example ragged(const Literal& texts, SourceLocation at = SourceLocation::current()) const;

  // Learns the vocabulary of texts, of an array or of batches such as a Dataset of one array. Each
  // text is a document for "tf_idf". Replaces the vocabulary that is there; no tokens are a
  // FailedPrecondition.
  void adapt(const Literal& texts, SourceLocation at = SourceLocation::current());
  template <class Batches>
  requires requires(const Batches& batches) { batches.begin(); }
  void adapt(const Batches& batches, SourceLocation at = SourceLocation::current()) {
    TokenCounts<std::string> counts;
    for (const Example& batch : batches) count_texts(counts, batch.only(at));
    learn(counts, at);
  }

  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  int64_t vocabulary_size() const;

  // Unimplemented: there are no strings on a device.
  Tensor call(const Tensor& x, CallContext& context) const;

  LookupRules<std::string> rules() const;
  void count_texts(TokenCounts<std::string>& counts, const Literal& texts) const;
  void learn(const TokenCounts<std::string>& counts, SourceLocation at);

  static KerasForm keras_form();
  template <class Self = TextVectorization>
  static constexpr auto fields() {
    return std::tuple(field("max_tokens", &Self::max_tokens),
                      field("standardize", &Self::standardize), field("split", &Self::split),
                      field("ngrams", &Self::ngrams), field("output_mode", &Self::output_mode),
                      field("output_sequence_length", &Self::output_sequence_length),
                      field("pad_to_max_tokens", &Self::pad_to_max_tokens),
                      field("vocabulary", &Self::vocabulary),
                      field("idf_weights", &Self::idf_weights), field("name", &Self::name));
  }
};

extern template Layer::Layer(TextVectorization);

}  // namespace systolic::inline v0
