#include "systolic/transformers/generation/next_token.h"

#include <algorithm>
#include <limits>

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

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
  return min(where(counts, falling, -never), {.axes = {1}, .keepdims = true});
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

}  // namespace

Tensor gumbel_noise(const Tensor& uniform) {
  // Half a step away from 0. The largest number would round to 1 by that, and 1's noise, which is
  // infinite, would choose its token whatever the scores are.
  return -log(-log(minimum(uniform + 0x1p-25, 1 - 0x1p-24)));
}

Tensor next_token(const Tensor& scores, const NextTokenOptions& options) {
  Tensor x = penalized(scores, options);
  if (!options.do_sample) return argmax(x, 1);
  // Only differences count: below 0 no temperature, however low, makes them infinite.
  if (options.temperature) x = (x - max(x, {.axes = {1}, .keepdims = true})) / *options.temperature;
  const Tensor drawn = random_uniform(x.shape(), 0, 1, {.key = options.key});
  return argmax(cut_off(x, options) + gumbel_noise(drawn), 1);
}

}  // namespace systolic::inline v0
