// What the lookups of Keras have in common: the types of their fields, and those as configuration.
// Internal to nn.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/field_values.h"
#include "systolic/nn/config/keras_form.h"
#include "systolic/preprocessing/lookup.h"

namespace systolic::inline v0 {

// How places are given on (encode.h).
struct LookupOutputNames {
  SYSTOLIC_NAMES(throw "output_mode must be one of: int one_hot multi_hot count tf_idf")
};
// A name of them.
using LookupOutput = Choice<LookupOutputNames>;

// The key of a strong hash: one number or two.
class HashSalt {
 public:
  HashSalt() = default;
  HashSalt(int64_t both) : HashSalt(both, both) {}  // NOLINT: Keras writes a number
  HashSalt(int64_t first, int64_t second) : key_(std::pair(first, second)) {}

  const std::optional<std::pair<int64_t, int64_t>>& key() const { return key_; }
  friend bool operator==(const HashSalt&, const HashSalt&) = default;

 private:
  std::optional<std::pair<int64_t, int64_t>> key_;
};

Config to_config(const HashSalt& salt);
void from_config(const Config& config, HashSalt& salt);

// A list of tokens, null where there are none, or the path of a file.
Config to_config(const Vocabulary& vocabulary);
Config to_config(const IntegerVocabulary& vocabulary);
void from_config(const Config& config, Vocabulary& vocabulary);
void from_config(const Config& config, IntegerVocabulary& vocabulary);

// Weights of tokens: null where there are none.
class TokenWeights {
 public:
  TokenWeights() = default;
  TokenWeights(std::initializer_list<double> values) : values_(values) {}
  TokenWeights(std::vector<double> values) : values_(std::move(values)) {}  // NOLINT

  const std::vector<double>& values() const { return values_; }
  friend bool operator==(const TokenWeights&, const TokenWeights&) = default;

 private:
  std::vector<double> values_;
};

Config to_config(const TokenWeights& weights);
void from_config(const Config& config, TokenWeights& weights);

// What a layer that takes text says when it is called on a Tensor.
[[noreturn]] void raise_runs_on_host(const char* kind, SourceLocation location);

// Entries of Keras's lookups that say nothing here.
KerasForm::Names silent_entries_of_lookups();

}  // namespace systolic::inline v0
