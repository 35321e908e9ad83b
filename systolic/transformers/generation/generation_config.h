// How a causal language model continues a text (transformers' GenerationConfig): what
// PretrainedModel::generate takes, and what a generation_config.json holds.
//
//   model.generate(ids, {.max_new_tokens = 50, .do_sample = true, .top_p = 0.9})
//
// Fields that are not set take the folder's value, and then transformers' default.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "systolic/transformers/config/config_fields.h"

namespace systolic::inline v0 {

// Tokens: .eos_token_id = 50256, .eos_token_id = {198, 50256}; {}: the default.
struct TokenIds {
  TokenIds() = default;
  template <std::integral Integer>
  TokenIds(Integer id) : ids{static_cast<int64_t>(id)} {}             // NOLINT
  TokenIds(std::initializer_list<int64_t> several) : ids(several) {}  // NOLINT
  explicit TokenIds(std::vector<int64_t> several) : ids(std::move(several)) {}
  std::vector<int64_t> ids;
};

struct GenerationConfig {
  // At most this many tokens after the prompt; or max_length tokens with it. Without either, 20, or
  // as many as there are positions for.
  std::optional<int64_t> max_new_tokens = {};
  std::optional<int64_t> max_length = {};
  // The next token is drawn from the softmax of its scores; else it is the one with the largest.
  std::optional<bool> do_sample = {};
  std::optional<double> temperature = {};  // scores are divided by it before they are drawn from
  std::optional<int64_t> top_k = {};       // only the k largest scores are drawn from; 0: all. 50
  // Only the likeliest tokens are drawn from, as few as have this probability together. 1
  std::optional<double> top_p = {};
  // Positive scores of tokens that are in the text already are divided by it, negative ones
  // multiplied (Keskar et al. 2019, arXiv 1909.05858, section 4.1).
  std::optional<double> repetition_penalty = {};
  // Tokens of the model, or -1 for none; InvalidArgument for others.
  TokenIds eos_token_id = {};                // a text ends after any of them
  std::optional<int64_t> pad_token_id = {};  // after texts that have ended; the first eos_token_id
  std::optional<uint64_t> seed = {};         // of what is drawn; another one at each call

  // Names the fields of the file. Unimplemented for those that would change the result and are not
  // implemented, such as num_beams above 1.
  void transfer(ConfigFields& fields);
  // These, and where they are not set those of `other`.
  GenerationConfig over(const GenerationConfig& other) const;
  // InvalidArgument for a value outside of its bounds.
  void check(SourceLocation location) const;
};

}  // namespace systolic::inline v0
