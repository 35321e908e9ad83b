// Which token comes next, given its scores: transformers' logits processors, on the device.
// Internal to transformers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Scalars are f32. What is not set changes nothing.
struct NextTokenOptions {
  std::optional<Tensor> seen = {};                // pred [rows, vocabulary]: tokens of the text
  std::optional<Tensor> repetition_penalty = {};  // of those
  std::optional<Tensor> banned = {};              // pred [rows, vocabulary]: never chosen
  // Rules that depend on all the scores; after what is banned.
  std::function<Tensor(const Tensor& scores)> changed = {};
  std::optional<Tensor> forced = {};  // i32: the only one that is; -1: none is forced
  bool do_sample = false;
  std::optional<Tensor> temperature = {};
  int64_t top_k = 0;
  std::optional<Tensor> top_p = {};
  std::optional<Tensor> min_p = {};
  std::optional<Tensor> typical_p = {};
  std::optional<Tensor> key = {};  // u64[2], where tokens are drawn
};

// Gumbel's noise, -log(-log(u)), of numbers u of [0, 1) as random_uniform() draws them: multiples
// of 2^-24. Finite for each of them.
Tensor gumbel_noise(const Tensor& uniform);

// scores f32 [rows, vocabulary], as the text before demands it: penalized, banned and forced.
Tensor changed_scores(const Tensor& scores, const NextTokenOptions& options);
// These as they are drawn from: heated, and cut off by -infinity.
Tensor warped_scores(const Tensor& scores, const NextTokenOptions& options);

// scores f32 [rows, vocabulary] -> i32 [rows]. The largest score after adding Gumbel's noise is
// drawn, so a row's token depends on the key and the row's place alone.
Tensor next_token(const Tensor& scores, const NextTokenOptions& options);

}  // namespace systolic::inline v0
