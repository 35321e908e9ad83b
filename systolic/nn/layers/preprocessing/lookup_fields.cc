#include "systolic/nn/layers/preprocessing/lookup_fields.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

template <class Token>
Config config_of_tokens(const TokenList<Token>& vocabulary) {
  return vocabulary.empty() ? Config() : to_config(vocabulary.tokens());
}

template <class Token>
void read_tokens(const Config& config, TokenList<Token>& vocabulary) {
  vocabulary = {};
  if (config.is_null()) return;
  if (config.is_text()) {
    vocabulary = TokenList<Token>(config.text_value());
    return;
  }
  std::vector<Token> tokens;
  from_config(config, tokens);
  vocabulary = TokenList<Token>(std::move(tokens));
}

}  // namespace

Config to_config(const HashSalt& salt) { return to_config(salt.key()); }

void from_config(const Config& config, HashSalt& salt) {
  salt = {};
  if (config.is_null()) return;
  if (config.is_integer()) {
    salt = HashSalt(config.integer());
    return;
  }
  std::pair<int64_t, int64_t> key;
  from_config(config, key);
  salt = HashSalt(key.first, key.second);
}

Config to_config(const Vocabulary& vocabulary) { return config_of_tokens(vocabulary); }
Config to_config(const IntegerVocabulary& vocabulary) { return config_of_tokens(vocabulary); }
void from_config(const Config& config, Vocabulary& vocabulary) { read_tokens(config, vocabulary); }
void from_config(const Config& config, IntegerVocabulary& vocabulary) {
  read_tokens(config, vocabulary);
}

Config to_config(const TokenWeights& weights) {
  return weights.values().empty() ? Config() : to_config(weights.values());
}

void from_config(const Config& config, TokenWeights& weights) {
  std::vector<double> values;
  if (!config.is_null()) from_config(config, values);
  weights = TokenWeights(std::move(values));
}

void raise_runs_on_host(const char* kind, SourceLocation location) {
  raise<Unimplemented>({.what = str(kind, " in a model: text and hashes of it stay on the host"),
                        .hint = "call it on the arrays of the pipeline: "
                                "dataset.map([=](const Literal& x) { return layer(x); }); "
                                "load_text_model reads a file that begins with it",
                        .location = location});
}

KerasForm::Names silent_entries_of_lookups() {
  return {{"sparse", "false"}, {"encoding", "\"utf-8\""}, {"vocabulary_size", "*"}};
}

}  // namespace systolic::inline v0
