#include "systolic/transformers/generation/program/text_scores.h"

#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/generation/program/repeated_runs.h"

namespace systolic::inline v0 {

namespace argument = generate_argument;

TextScores::TextScores(const Decoder& decoder, const GenerateShape& shape, const Tensors& given)
    : decoder_(decoder), shape_(shape), given_(given), starts_(given[argument::starts]) {}

Tensor TextScores::begin() {
  if (shape_.source > 0)
    source_ = decoder_.read_source(given_[argument::source], given_[argument::source_mask]);
  caches_ = decoder_.empty(shape_.rows, shape_.prompt + shape_.room);
  return decoder_.read(given_[argument::ids], starts_, constant(0), caches_, source_);
}

size_t TextScores::count_caches() const {
  return decoder_.empty(shape_.rows, shape_.prompt + shape_.room).size();
}

Tensor TextScores::repeated_rows(const Tensor& x, int64_t times) {
  const Shape& shape = x.shape();
  const Tensor all = broadcast_to(expand_dims(x, 1), shape.with_inserted(1, times));
  Shape rows = shape;
  rows.set(0, shape[0] * times);
  return reshape(all, rows);
}

void TextScores::repeat_rows(int64_t times) {
  starts_ = repeated_rows(starts_, times);
  for (Tensor& one : source_) one = repeated_rows(one, times);
  for (Tensor& one : caches_) one = repeated_rows(one, times);
}

Tensor TextScores::next(const Tensor& last, const Tensor& step, Tensors& caches) const {
  const Tensor slot = step + (shape_.prompt - 1);
  return decoder_.read(expand_dims(last, 1), starts_, slot, caches, source_);
}

Tensor TextScores::next_all(const Tensor& tokens, const Tensor& step, Tensors& caches) const {
  return decoder_.read_all(tokens, starts_, step + (shape_.prompt - 1), caches);
}

Tensor TextScores::ends(const Tensor& tokens) const {
  const Tensor& all_ends = given_[argument::ends];
  Shape shape = Shape{shape_.ends};
  for (int axis = 0; axis < tokens.rank(); ++axis) shape = shape.with_inserted(0, 1);
  return any(expand_dims(tokens, tokens.rank()) == reshape(all_ends, shape),
             {.axis = tokens.rank()});
}

// What may not come next; nothing where all may.
std::optional<Tensor> TextScores::banned(const Tensor& ids, const Tensor& step) const {
  std::optional<Tensor> result;
  const int64_t vocabulary = decoder_.sizes().vocabulary;
  if (shape_.run > 0)
    result = repeated_runs(ids, starts_, step + shape_.prompt, shape_.run, vocabulary);
  const auto ban = [&](const Tensor& tokens) {
    const Tensor everywhere = broadcast_to(tokens, {ids.shape()[0], vocabulary});
    result = result ? logical_or(*result, everywhere) : everywhere;
  };
  if (shape_.delays)
    ban(logical_and(ends(iota({1, vocabulary}, 1)), step < given_[argument::least]));
  if (shape_.suppresses) ban(given_[argument::suppressed]);
  if (shape_.suppresses_first)
    ban(logical_and(given_[argument::first_suppressed], step == given_[argument::first_step]));
  return result;
}

// The token that must come next, -1 where any may.
Tensor TextScores::forced(const Tensor& step) const {
  const Tensor is_last = step == given_[argument::count] - 1;
  const Tensor at_end = where(is_last, given_[argument::forced_end], -1);
  return where(step == 0, maximum(given_[argument::forced_begin], at_end), at_end);
}

NextTokenOptions TextScores::options(const Tensor& ids, const Tensor& seen,
                                     const Tensor& step) const {
  const auto given = [&](bool is_used, argument::Argument which) {
    return is_used ? std::optional<Tensor>(given_[which]) : std::nullopt;
  };
  // Far past what the round before drew.
  const Tensor draws = cast(step, DType::u64) * (int64_t{1} << 40);
  const Tensor key_now = given_[argument::key] + stack({zeros({}, DType::u64), draws});
  NextTokenOptions options{.seen = seen,
                           .repetition_penalty = given(shape_.penalizes, argument::penalty),
                           .banned = banned(ids, step),
                           .do_sample = shape_.do_sample,
                           .temperature = given(shape_.heats, argument::temperature),
                           .top_k = shape_.top_k,
                           .top_p = given(shape_.cuts, argument::top_p),
                           .min_p = given(shape_.has_min_p, argument::min_p),
                           .typical_p = given(shape_.has_typical_p, argument::typical_p),
                           .key = key_now};
  if (shape_.tells_times) {
    const TimeRules rules{.begin = given_[argument::time_begin],
                          .last_first = given_[argument::last_first_time],
                          .none = given_[argument::no_times],
                          .end = given_[argument::time_end]};
    const TimedTexts texts{.ids = ids, .prompt = shape_.prompt, .step = step};
    options.changed = [rules, texts](const Tensor& scores) { return rules(scores, texts); };
  }
  if (shape_.forces) options.forced = forced(step);
  return options;
}

}  // namespace systolic::inline v0
