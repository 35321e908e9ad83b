// Integers to their places in a vocabulary, and back (keras.layers.IntegerLookup): in a pipeline,
// on Literals, and in a model.
//
//   IntegerLookup{.vocabulary = {12, 36, 1138, 42}}        [12, 7, 42] -> [1, 0, 4]
//   IntegerLookup ids{.max_tokens = 500};  ids.adapt(values);
//
// Places, encodings and errors are those of StringLookup (string_lookup.h); an unknown integer has
// the place of its remainder by num_oov_indices, or of its hash. "int" gives i64 in a pipeline and
// i32 in a model. In a model, Unimplemented: hashes, and num_oov_indices = 0, for which the device
// would have to look for unknown integers.
#pragma once

#include "systolic/core/example.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/preprocessing/lookup_fields.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// Where unknown integers go: by their remainder, or by a hash.
struct OovMethodNames {
  SYSTOLIC_NAMES(throw "oov_method must be one of: floormod farmhash")
};

struct IntegerLookup {
  static constexpr const char* kind = "IntegerLookup";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  std::optional<int64_t> max_tokens = {};
  int64_t num_oov_indices = 1;
  std::optional<int64_t> mask_token = {};
  int64_t oov_token = -1;
  IntegerVocabulary vocabulary = {};
  TokenWeights idf_weights = {};  // for "tf_idf", one for each integer of the vocabulary
  bool invert = false;
  LookupOutput output_mode = "int";
  bool pad_to_max_tokens = false;
  Choice<OovMethodNames> oov_method = "floormod";
  HashSalt salt = {};  // with "farmhash": SipHash with this key instead
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  // i64 places, or their f32 encoding, on the host.
  Literal operator()(const Literal& x, SourceLocation at = SourceLocation::current()) const;
  Symbol operator()(const Symbol& x) && { return call_once(std::move(*this), x); }
  Tensor call(const Tensor& x, CallContext& context) const;

  // As StringLookup::adapt.
  void adapt(const Literal& values, SourceLocation at = SourceLocation::current());
  template <class Batches>
  requires requires(const Batches& batches) { batches.begin(); }
  void adapt(const Batches& batches, SourceLocation at = SourceLocation::current()) {
    TokenCounts<int64_t> counts;
    for (const Example& batch : batches) count_tokens(counts, batch.only(at));
    learn(counts, at);
  }
  std::vector<int64_t> get_vocabulary(bool include_special_tokens = true) const;
  int64_t vocabulary_size() const;

  LookupRules<int64_t> rules() const;
  void learn(const TokenCounts<int64_t>& counts, SourceLocation at);

  static KerasForm keras_form();
  template <class Self = IntegerLookup>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("max_tokens", &Self::max_tokens),
                   field("num_oov_indices", &Self::num_oov_indices),
                   field("mask_token", &Self::mask_token), field("oov_token", &Self::oov_token),
                   field("vocabulary", &Self::vocabulary), field("idf_weights", &Self::idf_weights),
                   field("invert", &Self::invert), field("output_mode", &Self::output_mode),
                   field("pad_to_max_tokens", &Self::pad_to_max_tokens),
                   field("oov_method", &Self::oov_method), field("salt", &Self::salt)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(IntegerLookup);

}  // namespace systolic::inline v0
