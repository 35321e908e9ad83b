#include "systolic/nn/layers/preprocessing/string_lookup.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

LookupRules<std::string> StringLookup::rules() const {
  return {.max_tokens = max_tokens,
          .num_oov_indices = num_oov_indices,
          .mask_token = mask_token,
          .oov_token = oov_token,
          .vocabulary = vocabulary,
          .idf_weights = idf_weights.values(),
          .invert = invert,
          .output_mode = output_mode.name(),
          .pad_to_max_tokens = pad_to_max_tokens,
          .salt = salt.key()};
}

Literal StringLookup::operator()(const Literal& x, SourceLocation at) const {
  const ErrorScope scope(kind, at);
  return look_up(Lookup<std::string>(rules()), x);
}

void StringLookup::adapt(const Literal& values, SourceLocation at) {
  const ErrorScope scope(kind, at);
  TokenCounts<std::string> counts;
  count_tokens(counts, values.rank() == 1 ? values.reshape({values.size(), 1}) : values);
  learn(counts, at);
}

void StringLookup::learn(const TokenCounts<std::string>& counts, SourceLocation at) {
  const ErrorScope scope(kind, at);
  LookupRules<std::string> learned = rules();
  counts.finish(learned);
  vocabulary = learned.vocabulary;
  idf_weights = learned.idf_weights;
}

std::vector<std::string> StringLookup::get_vocabulary(bool include_special_tokens) const {
  const ErrorScope scope(kind, location);
  return Lookup<std::string>(rules()).vocabulary(include_special_tokens);
}

int64_t StringLookup::vocabulary_size() const {
  const ErrorScope scope(kind, location);
  return Lookup<std::string>(rules()).size();
}

Tensor StringLookup::call(const Tensor&, CallContext&) const { raise_runs_on_host(kind, location); }

KerasForm StringLookup::keras_form() {
  KerasForm form{.silent = silent_entries_of_lookups()};
  form.silent.emplace_back("oov_method", "*");  // strings are always hashed
  return form;
}

SYSTOLIC_DEFINE_LAYER(StringLookup)

}  // namespace systolic::inline v0
