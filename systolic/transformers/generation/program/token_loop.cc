#include "systolic/transformers/generation/program/token_loop.h"

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {

namespace argument = generate_argument;

namespace {

// The texts so far.
struct Texts {
  Tensor ids;       // i32 [rows, prompt + room]
  Tensor finished;  // pred [rows]
  Tensor seen;      // pred [rows, vocabulary], or [rows, 1] where nobody asks
};

class TokenLoop {
 public:
  TokenLoop(const Decoder& decoder, const GenerateShape& shape, const Tensors& given)
      : scores_(decoder, shape, given), shape_(shape), given_(given) {}

  Tensors run() {
    const Tensors state = advanced(begin(), given_[argument::count]);
    return {state[1], state[0]};
  }

  // After the first token.
  Tensors begin() {
    const Tensor scores = scores_.begin();
    const Tensor room = zeros({shape_.rows, shape_.room}, DType::i32);
    const Tensor first = constant(0);
    return joined(first + 1,
                  extended({concat({given_[argument::ids], room}, 1), given_[argument::finished],
                            given_[argument::seen]},
                           scores, first),
                  scores_.caches());
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
    const auto looped = static_cast<std::ptrdiff_t>(4 + scores_.count_caches());
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
    const Tensor last = texts.ids[{all, now[0] + (shape_.prompt - 1)}];
    const Tensor scores = scores_.next(last, now[0], caches);
    return joined(now[0] + 1, extended(texts, scores, now[0]), caches);
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
  const GenerateShape& shape_;
  const Tensors& given_;
};

}  // namespace

Tensors token_loop(const Decoder& decoder, const GenerateShape& shape, const Tensors& given) {
  return TokenLoop(decoder, shape, given).run();
}

Tensors begin_tokens(const Decoder& decoder, const GenerateShape& shape, const Tensors& given) {
  return TokenLoop(decoder, shape, given).begin_part();
}

Tensors more_tokens(const Decoder& decoder, const GenerateShape& shape, const Tensors& given,
                    const Tensors& state, const Tensor& until) {
  return TokenLoop(decoder, shape, given).next_part(state, until);
}

}  // namespace systolic::inline v0
