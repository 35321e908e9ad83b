#include "systolic/transformers/generation/program/next_token.h"

#include <algorithm>
#include <limits>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/sort_with_positions.h"

namespace systolic::inline v0 {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

Tensor penalized(const Tensor& scores, const NextTokenOptions& options) {
  if (!options.repetition_penalty) return scores;
  const Tensor& penalty = *options.repetition_penalty;
  const Tensor lower = where(scores > 0, scores / penalty, scores * penalty);
  return where(*options.seen, lower, scores);
}

// The smallest score that is still drawn from, [rows, 1], of scores in falling order: of the tokens
// before which less than top_p lies.
Tensor least_of_top_p(const Tensor& falling, const Tensor& top_p) {
  const Tensor likely = softmax(falling);
  const Tensor before = cumsum(likely, 1) - likely;
  // The first counts whatever rounding makes of it.
  const Tensor counts = logical_or(before < top_p, iota(falling.shape(), 1) == 0);
  return min(where(counts, falling, -never), {.axis = 1, .keepdims = true});
}

Tensor cut_off(const Tensor& scores, const NextTokenOptions& options) {
  const int64_t vocabulary = scores.shape()[1];
  const bool top_k_cuts = options.top_k > 0 && options.top_k < vocabulary;
  if (!top_k_cuts && !options.top_p) return scores;
  const Tensor falling = top_k_cuts ? top_k(scores, options.top_k).values : sort(scores, -1, true);
  const Tensor least =
      options.top_p ? least_of_top_p(falling, *options.top_p) : falling[{all, Slice{.begin = -1}}];
  return where(scores >= least, scores, never);
}

// A token at least min_p times as likely as the likeliest has a score at most -log(min_p) below
// its.
Tensor cut_by_min_p(const Tensor& scores, const Tensor& min_p) {
  const Tensor most = max(scores, {.axis = 1, .keepdims = true});
  return where(scores >= most + log(min_p), scores, never);
}

Tensor cut_by_typical_p(const Tensor& scores, const Tensor& typical_p) {
  const Tensor surprise = -log_softmax(scores);
  const Tensor possible = scores > never;
  const Tensor parts = where(possible, exp(-surprise) * surprise, 0);
  const Tensor expected = sum(parts, {.axis = 1, .keepdims = true});
  const Tensor distance = where(possible, abs(surprise - expected), -never);
  const Sorted nearest = sort_with_positions(distance, 1, false);
  const Tensor likely = softmax(take_along_axis(scores, nearest.positions));
  const Tensor together = cumsum(likely, 1);
  const Tensor before = sum(cast(together < typical_p, DType::i32), {.axis = 1, .keepdims = true});
  const Tensor last = minimum(before, scores.shape()[1] - 1);
  return where(distance <= take_along_axis(nearest.values, last), scores, never);
}

}  // namespace

Tensor gumbel_noise(const Tensor& uniform) {
  // Half a step away from 0. The largest number would round to 1 by that, and 1's noise, which is
  // infinite, would choose its token whatever the scores are.
  return -log(-log(minimum(uniform + 0x1p-25, 1 - 0x1p-24)));
}

Tensor changed_scores(const Tensor& scores, const NextTokenOptions& options) {
  Tensor x = penalized(scores, options);
  if (options.banned) x = where(*options.banned, never, x);
  if (options.changed) x = options.changed(x);
  if (!options.forced) return x;
  const Tensor& forced = *options.forced;
  const Tensor only = where(iota({1, x.shape()[1]}, 1) == forced, 0.0, zeros({}) + never);
  return where(forced >= 0, only, x);
}

Tensor warped_scores(const Tensor& scores, const NextTokenOptions& options) {
  Tensor x = scores;
  if (options.temperature) x = x / *options.temperature;
  x = cut_off(x, options);
  if (options.min_p) x = cut_by_min_p(x, *options.min_p);
  if (options.typical_p) x = cut_by_typical_p(x, *options.typical_p);
  return x;
}

Tensor next_token(const Tensor& scores, const NextTokenOptions& options) {
  Tensor x = changed_scores(scores, options);
  if (!options.do_sample) return argmax(x, 1);
  // Only differences count: below 0 no temperature, however low, makes them infinite.
  if (options.temperature) x = x - max(x, {.axis = 1, .keepdims = true});
  const Tensor drawn = random_uniform(x.shape(), 0, 1, {.key = options.key});
  return argmax(warped_scores(x, options) + gumbel_noise(drawn), 1);
}

}  // namespace systolic::inline v0
