#include "systolic/transformers/generation/program/time_rules.h"

#include <limits>

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr double barred_score = -std::numeric_limits<double>::infinity();

// The token that was written so many tokens ago, 1 for the last: [rows, 1].
Tensor token_before(const TimedTexts& texts, int32_t ago) {
  const Tensor slot = maximum(texts.step + static_cast<int32_t>(texts.prompt) - ago, 0);
  return expand_dims(texts.ids[{all, slot}], 1);
}

}  // namespace

Tensor TimeRules::operator()(const Tensor& scores, const TimedTexts& texts) const {
  const Tensor tokens = iota({1, scores.shape()[1]}, 1), is_time = tokens >= begin;
  const Tensor after_time = logical_and(texts.step > 0, token_before(texts, 1) >= begin);
  const Tensor before_it = logical_or(texts.step < 2, token_before(texts, 2) >= begin);
  // The latest time so far, [rows, 1]; below `begin` where there is none.
  const Tensor slots = iota(texts.ids.shape(), 1) - static_cast<int32_t>(texts.prompt);
  const Tensor written = logical_and(slots >= 0, slots < texts.step);
  const Tensor latest = max(where(written, texts.ids, -1), {.axis = 1, .keepdims = true});
  const Tensor opens = logical_and(after_time, !before_it);
  const Tensor least = where(latest < begin, begin, where(opens, latest, latest + 1));
  Tensor barred = logical_or(tokens == none, logical_and(is_time, tokens < least));
  barred = logical_or(barred, logical_and(logical_and(after_time, before_it), is_time));
  barred = logical_or(barred, logical_and(opens, tokens < end));
  const Tensor no_start = logical_or(!is_time, tokens > last_first);
  barred = logical_or(barred, logical_and(texts.step == 0, no_start));
  const Tensor x = where(barred, barred_score, scores);
  const ReduceOptions along{.axis = 1, .keepdims = true};
  const Tensor likely = log_softmax(x);
  const Tensor of_times = logsumexp(where(is_time, likely, barred_score), along);
  const Tensor of_words = max(where(is_time, barred_score, likely), along);
  return where(logical_and(of_times > of_words, !is_time), barred_score, x);
}

}  // namespace systolic::inline v0
