#include "systolic/transformers/generation/program/speculative_round.h"

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {

namespace argument = generate_argument;

namespace {

// What numbers are drawn for at one place of a text: each has its own.
enum Purpose : int64_t { next, drafted, kept, replaced };

Tensor with_seen(const Tensor& seen, const Tensor& token) {
  return logical_or(seen, iota(seen.shape(), 1) == expand_dims(token, 1));
}

// Only differences count: below 0 no temperature, however low, makes them infinite.
Tensor warped(const Tensor& scores, const NextTokenOptions& options) {
  const Tensor most = max(scores, {.axis = 1, .keepdims = true});
  return warped_scores(options.temperature ? scores - most : scores, options);
}

Tensor drawn(const Tensor& scores, const NextTokenOptions& options) {
  const Tensor numbers = random_uniform(scores.shape(), 0, 1, {.key = options.key});
  return argmax(scores + gumbel_noise(numbers), 1);
}

Tensor chance_of(const Tensor& chances, const Tensor& token) {
  return take_along_axis(chances, expand_dims(token, 1))[{all, 0}];
}

// Where a token is refused: one by how much likelier the model has it than the draft.
Tensor surplus(const Tensor& here, const Tensor& there) {
  const Tensor more = maximum(here - there, 0);
  const Tensor any_more = sum(more, {.axis = 1, .keepdims = true}) > 0;
  return log(where(any_more, more, here));
}

}  // namespace

NextTokenOptions SpeculativeRound::options(const TextScores& scores, const Tensor& ids,
                                           const Tensor& seen, const Tensor& step,
                                           int64_t purpose) const {
  NextTokenOptions options = scores.options(ids, seen, step);
  // Places of a text are 2^40 numbers apart.
  const Tensor offset = zeros({}, DType::u64) + purpose * (int64_t{1} << 37);
  options.key = *options.key + stack({zeros({}, DType::u64), offset});
  return options;
}

Tensor SpeculativeRound::chosen(const Tensor& scores, const NextTokenOptions& options) const {
  return shape_.do_sample ? drawn(scores, options) : argmax(scores, 1);
}

SpeculativeRound::Draft SpeculativeRound::draft(const Tensor& step, const WrittenTexts& texts,
                                                Tensors& caches) const {
  Draft made{.ids = texts.ids};
  made.seen.push_back(texts.seen);
  Tensor last = texts.ids[{all, step + (shape_.prompt - 1)}];
  for (int64_t i = 0; i < shape_.drafts; ++i) {
    const Tensor at = step + i;
    const Tensor scores = draft_.next(last, at, caches);
    const NextTokenOptions how = options(draft_, made.ids, made.seen.back(), at, drafted);
    Tensor x = changed_scores(scores, how);
    if (shape_.do_sample) x = warped(x, how);
    last = chosen(x, how);
    made.scores.push_back(x);
    made.tokens.push_back(last);
    made.ids = slice_update(made.ids, {0, at + shape_.prompt}, expand_dims(last, 1));
    made.seen.push_back(with_seen(made.seen.back(), last));
  }
  // So that the draft has read its last token, too.
  draft_.next(last, step + shape_.drafts, caches);
  return made;
}

SpeculativeRound::Answer SpeculativeRound::answer(const Tensor& step, const Draft& draft,
                                                  const Tensor& scores) const {
  Answer made;
  for (int64_t i = 0; i <= shape_.drafts; ++i) {
    const auto place = static_cast<size_t>(i);
    const Tensor at = step + i;
    const auto how = [&](int64_t purpose) {
      return options(target_, draft.ids, draft.seen[place], at, purpose);
    };
    const Tensor x = changed_scores(scores[{all, i}], how(next));
    const bool is_after = i == shape_.drafts;
    if (!shape_.do_sample) {
      made.tokens.push_back(argmax(x, 1));
      if (!is_after) made.agrees.push_back(made.tokens.back() == draft.tokens[place]);
      continue;
    }
    const Tensor here = warped(x, how(next));
    if (is_after) {
      made.tokens.push_back(drawn(here, how(replaced)));
      continue;
    }
    const Tensor chances = softmax(here), draft_chances = softmax(draft.scores[place]);
    const Tensor& token = draft.tokens[place];
    const Tensor number = random_uniform(token.shape(), 0, 1, {.key = how(kept).key});
    made.agrees.push_back(number * chance_of(draft_chances, token) < chance_of(chances, token));
    const Tensor other = drawn(surplus(chances, draft_chances), how(replaced));
    made.tokens.push_back(where(made.agrees.back(), token, other));
  }
  return made;
}

SpeculativeResult SpeculativeRound::operator()(const Tensor& step, const WrittenTexts& texts,
                                               Tensors& caches, Tensors& draft_caches) const {
  const Draft made = draft(step, texts, draft_caches);
  Tensors columns{expand_dims(texts.ids[{all, step + (shape_.prompt - 1)}], 1)};
  for (const Tensor& token : made.tokens) columns.push_back(expand_dims(token, 1));
  const Answer said = answer(step, made, target_.next_all(concat(columns, 1), step, caches));

  WrittenTexts after = texts;
  Tensor finished = texts.finished, seen = texts.seen;
  Tensor goes_on = constant(true), count = constant(0);
  columns.clear();
  for (size_t i = 0; i < said.tokens.size(); ++i) {
    const Tensor token = where(finished, given_[argument::padding], said.tokens[i]);
    columns.push_back(expand_dims(token, 1));
    const Tensor ended = finished;
    finished = logical_or(finished, target_.ends(token));
    seen = with_seen(seen, token);
    // This one is kept where all before it are the draft's.
    count = count + cast(goes_on, DType::i32);
    after.finished = where(goes_on, finished, after.finished);
    after.seen = where(goes_on, seen, after.seen);
    if (i < said.agrees.size())
      goes_on = logical_and(goes_on, all(logical_or(said.agrees[i], ended)));
  }
  after.ids = slice_update(texts.ids, {0, step + shape_.prompt}, concat(columns, 1));
  return {.step = minimum(step + count, given_[argument::count]), .texts = after};
}

}  // namespace systolic::inline v0
