// Strings to their places in a vocabulary, and back (keras.layers.StringLookup). It runs on the
// host, in a pipeline; a model is given its output.
//
//   StringLookup lookup{.vocabulary = {"cat", "dog"}};
//   lookup(Literal::strings({"dog", "fish"}))                          // i64 [2, 0]
//   StringLookup{.vocabulary = {"cat", "dog"}, .invert = true}(places) // strings
//
//   StringLookup words{.max_tokens = 1000};
//   words.adapt(train.map([](const Example& e) { return e["word"]; }).batch(256));
//   train = train.map([=](const Literal& word, const Literal& y) { return std::pair(words(word),
//   y);
//   });
//
// Places: the mask token's 0 (where there is one, for "int" alone), then num_oov_indices for
// unknown strings, chosen by their hash, then the vocabulary. output_mode: "int" gives i64 of the
// input's shape; "one_hot" f32 [..., depth]; "multi_hot", "count" and "tf_idf" f32 [..., depth]
// over what stands along the last axis, without masked tokens. (Keras gives i64 for all but the
// last.)
//
// Without a vocabulary a call is a FailedPrecondition. InvalidArgument: a token that comes twice, a
// special one elsewhere than at the start, more than max_tokens, an unknown string where
// num_oov_indices is 0.
#pragma once

#include "systolic/core/example.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/lookup_fields.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

struct StringLookup {
  static constexpr const char* kind = "StringLookup";
  static constexpr LayerTraits traits = {};
  static constexpr bool runs_on_host = true;
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;
  std::optional<std::string> mask_token = {};
  std::string oov_token = "[UNK]";
  Vocabulary vocabulary = {};
  TokenWeights idf_weights = {};  // for "tf_idf", one for each token of the vocabulary
  bool invert = false;
  LookupOutput output_mode = "int";
  bool pad_to_max_tokens = false;  // encodings are max_tokens long
  HashSalt salt = {};              // of unknown strings: SipHash with this key
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Literal operator()(const Literal& x, SourceLocation at = SourceLocation::current()) const;

  // Learns the vocabulary: the strings that come most often first. Each value of an array of one
  // axis, else each row, is a document for "tf_idf". Replaces the vocabulary that is there; no
  // strings are a FailedPrecondition.
  void adapt(const Literal& values, SourceLocation at = SourceLocation::current());
  // The same with batches, such as a Dataset of one array: each row along the last axis is a
  // document.
  template <class Batches>
  requires requires(const Batches& batches) { batches.begin(); }
  void adapt(const Batches& batches, SourceLocation at = SourceLocation::current()) {
    TokenCounts<std::string> counts;
    for (const Example& batch : batches) count_tokens(counts, batch.only(at));
    learn(counts, at);
  }

  // The tokens by place.
  std::vector<std::string> get_vocabulary(bool include_special_tokens = true) const;
  int64_t vocabulary_size() const;

  // Unimplemented: there are no strings on a device.
  Tensor call(const Tensor& x, CallContext& context) const;

  LookupRules<std::string> rules() const;
  void learn(const TokenCounts<std::string>& counts, SourceLocation at);

  static KerasForm keras_form();
  template <class Self = StringLookup>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("max_tokens", &Self::max_tokens),
                   field("num_oov_indices", &Self::num_oov_indices),
                   field("mask_token", &Self::mask_token), field("oov_token", &Self::oov_token),
                   field("vocabulary", &Self::vocabulary), field("idf_weights", &Self::idf_weights),
                   field("invert", &Self::invert), field("output_mode", &Self::output_mode),
                   field("pad_to_max_tokens", &Self::pad_to_max_tokens),
                   field("salt", &Self::salt)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(StringLookup);

}  // namespace systolic::inline v0
