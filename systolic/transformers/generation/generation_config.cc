#include "systolic/transformers/generation/generation_config.h"

#include <cmath>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/transformers/config/limits.h"

namespace systolic::inline v0 {
namespace {

constexpr int64_t most_tokens = limits::positions;
constexpr double largest = std::numeric_limits<float>::max();

// What is not implemented, with what it is where it changes nothing.
void refuse_others(ConfigFields& fields) {
  for (const char* name : {"num_beams", "num_return_sequences", "num_beam_groups"})
    fields.only(name, 1);
  for (const char* name : {"min_new_tokens", "min_length", "no_repeat_ngram_size"})
    fields.only(name, 0);
  for (const char* name :
       {"min_p", "top_h", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens",
        "forced_bos_token_id", "forced_eos_token_id", "sequence_bias", "stop_strings",
        "exponential_decay_length_penalty", "watermarking_config", "force_words_ids"}) {
    fields.only(name, Config());
  }
  for (const char* name : {"typical_p", "guidance_scale"}) fields.only(name, 1.0);
  for (const char* name : {"epsilon_cutoff", "eta_cutoff", "penalty_alpha"}) fields.only(name, 0.0);
}

template <class T>
std::optional<T> first(const std::optional<T>& a, const std::optional<T>& b) {
  return a ? a : b;
}

void check_setting(bool holds, const char* name, double value, const char* wanted, const char* hint,
                   SourceLocation location) {
  if (holds) return;
  raise<InvalidArgument>({.what = str("generate with ", name, " = ", value),
                          .wanted = wanted,
                          .hint = hint,
                          .location = location});
}

}  // namespace

void GenerationConfig::transfer(ConfigFields& fields) {
  fields.integer("max_new_tokens", max_new_tokens, 1, most_tokens);
  fields.integer("max_length", max_length, 1, most_tokens);
  fields.boolean("do_sample", do_sample);
  fields.number("temperature", temperature, 0, largest);
  fields.integer("top_k", top_k, 0, limits::vocabulary);
  fields.number("top_p", top_p, 0, 1);
  fields.number("repetition_penalty", repetition_penalty, 0, largest);
  std::vector<int64_t> ends;
  fields.integers("eos_token_id", ends, -1, limits::vocabulary);
  if (!ends.empty()) eos_token_id = TokenIds(std::move(ends));
  fields.integer("pad_token_id", pad_token_id, -1, limits::vocabulary);
  refuse_others(fields);
}

GenerationConfig GenerationConfig::over(const GenerationConfig& other) const {
  GenerationConfig result;
  result.max_new_tokens = first(max_new_tokens, max_length ? std::nullopt : other.max_new_tokens);
  result.max_length = first(max_length, other.max_length);
  result.do_sample = first(do_sample, other.do_sample);
  result.temperature = first(temperature, other.temperature);
  result.top_k = first(top_k, other.top_k);
  result.top_p = first(top_p, other.top_p);
  result.repetition_penalty = first(repetition_penalty, other.repetition_penalty);
  result.eos_token_id = eos_token_id.ids.empty() ? other.eos_token_id : eos_token_id;
  result.pad_token_id = first(pad_token_id, other.pad_token_id);
  result.seed = first(seed, other.seed);
  return result;
}

void GenerationConfig::check(SourceLocation location) const {
  const auto lengths = {std::pair("max_new_tokens", max_new_tokens),
                        std::pair("max_length", max_length)};
  for (const auto& [name, value] : lengths) {
    if (value) {
      check_setting(*value >= 1 && *value <= most_tokens, name, static_cast<double>(*value),
                    "at least 1, and no more than the model has positions for", "", location);
    }
  }
  const double heat = temperature.value_or(1), p = top_p.value_or(1);
  check_setting(heat > 0 && heat <= largest, "temperature", heat, "above 0",
                "the likeliest token each time: .do_sample = false", location);
  check_setting(top_k.value_or(0) >= 0, "top_k", static_cast<double>(top_k.value_or(0)),
                "0 or more; 0 draws from all tokens", "", location);
  check_setting(p > 0 && p <= 1, "top_p", p, "above 0, at most 1", "", location);
  const double penalty = repetition_penalty.value_or(1);
  check_setting(penalty > 0 && penalty <= largest, "repetition_penalty", penalty,
                "above 0; 1 changes nothing, 1.2 repeats less", "", location);
  const int64_t padding = pad_token_id.value_or(-1);
  check_setting(padding >= -1 && padding <= limits::vocabulary, "pad_token_id",
                static_cast<double>(padding), "a token; -1 is none", "", location);
}

}  // namespace systolic::inline v0
