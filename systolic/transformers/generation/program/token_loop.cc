#include "systolic/transformers/generation/program/token_loop.h"

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"
#include "systolic/transformers/generation/program/speculative_round.h"

namespace systolic::inline v0 {

namespace argument = generate_argument;

namespace {

using Texts = WrittenTexts;

class TokenLoop {
 public:
  TokenLoop(const Decoders& decoders, const GenerateShape& shape, const Tensors& given)
      : scores_(decoders.target, shape, given), shape_(shape), given_(given) {
    if (shape.drafts > 0) draft_.emplace(*decoders.draft, shape, given);
  }

  Tensors run() {
    const Tensors state = advanced(begin(), given_[argument::count]);
    return {state[1], state[0]};
  }

  // After the first token.
  Tensors begin() {
    const Tensor scores = scores_.begin();
    const Tensor room = zeros({shape_.rows, shape_.room}, DType::i32);
    const Tensor first = constant(0);
    Tensors caches = scores_.caches();
    if (draft_) {
      draft_->begin();
      caches.insert(caches.end(), draft_->caches().begin(), draft_->caches().end());
    }
    return joined(first + 1,
                  extended({concat({given_[argument::ids], room}, 1), given_[argument::finished],
                            given_[argument::seen]},
                           scores, first),
                  caches);
  }

  Tensors advanced(const Tensors& state, const Tensor& until) const {
    return while_loop(
        state, [&](const Tensors& now) { return logical_and(now[0] < until, any(!now[2])); },
        [&](const Tensors& now) { return round(now); });
  }

  // What an encoder read is part of what is kept between programs.
  Tensors begin_part() {
    Tensors state = begin();
    state.insert(state.end(), scores_.source().begin(), scores_.source().end());
    return state;
  }

  Tensors next_part(const Tensors& state, const Tensor& until) {
    const size_t caches = scores_.count_caches() + (draft_ ? draft_->count_caches() : 0);
    const auto looped = static_cast<std::ptrdiff_t>(4 + caches);
    const Tensors source(state.begin() + looped, state.end());
    scores_.set_source(source);
    Tensors after = advanced(Tensors(state.begin(), state.begin() + looped),
                             minimum(until, given_[argument::count]));
    after.insert(after.end(), source.begin(), source.end());
    return after;
  }

 private:
  static Tensors joined(const Tensor& step, const Texts& texts, const Tensors& caches) {
    Tensors state{step, texts.ids, texts.finished, texts.seen};
    state.insert(state.end(), caches.begin(), caches.end());
    return state;
  }

  Tensors round(const Tensors& now) const {
    const Texts texts{now[1], now[2], now[3]};
    Tensors caches(now.begin() + 4, now.end());
    if (draft_) return round_with_draft(now[0], texts, caches);
    const Tensor last = texts.ids[{all, now[0] + (shape_.prompt - 1)}];
    const Tensor scores = scores_.next(last, now[0], caches);
    return joined(now[0] + 1, extended(texts, scores, now[0]), caches);
  }

  Tensors round_with_draft(const Tensor& step, const Texts& texts, const Tensors& caches) const {
    const auto middle = caches.begin() + static_cast<std::ptrdiff_t>(scores_.count_caches());
    Tensors here(caches.begin(), middle), there(middle, caches.end());
    const SpeculativeRound round(scores_, *draft_, shape_, given_);
    const SpeculativeResult result = round(step, texts, here, there);
    here.insert(here.end(), there.begin(), there.end());
    return joined(result.step, result.texts, here);
  }

  // By the token that these scores choose; `step` tokens were generated before it.
  Texts extended(const Texts& texts, const Tensor& scores, const Tensor& step) const {
    const Tensor chosen = next_token(scores, scores_.options(texts.ids, texts.seen, step));
    const Tensor token = where(texts.finished, given_[argument::padding], chosen);
    const Tensor column = expand_dims(token, 1);
    return {.ids = slice_update(texts.ids, {0, step + shape_.prompt}, column),
            .finished = logical_or(texts.finished, scores_.ends(token)),
            .seen = logical_or(texts.seen, iota(texts.seen.shape(), 1) == column)};
  }

  TextScores scores_;
  std::optional<TextScores> draft_;
  const GenerateShape& shape_;
  const Tensors& given_;
};

}  // namespace

Tensors token_loop(const Decoders& decoders, const GenerateShape& shape, const Tensors& given) {
  return TokenLoop(decoders, shape, given).run();
}

Tensors begin_tokens(const Decoders& decoders, const GenerateShape& shape, const Tensors& given) {
  return TokenLoop(decoders, shape, given).begin_part();
}

Tensors more_tokens(const Decoders& decoders, const GenerateShape& shape, const Tensors& given,
                    const Tensors& state, const Tensor& until) {
  return TokenLoop(decoders, shape, given).next_part(state, until);
}

}  // namespace systolic::inline v0
