#include "systolic/transformers/generation/program/text_reading.h"

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"

namespace systolic::inline v0 {
namespace {

namespace argument = generate_argument;

// x f32 [rows, vocabulary] at one token of each row, `column` i32 [rows, 1] or a scalar: [rows].
Tensor at_token(const Tensor& x, const Tensor& column) {
  return sum(where(iota(x.shape(), 1) == column, x, 0.0), {.axis = 1});
}

class TextReader {
 public:
  TextReader(const Decoder& decoder, const GenerateShape& shape, const Tensors& given,
             const TextsToRead& texts)
      : decoder_(decoder),
        shape_(shape),
        given_(given),
        texts_(texts),
        rules_(decoder, shape, given) {}

  Tensors run() {
    std::vector<Tensor> attention = read_states();
    const Tensor scores = scores_after(texts_.slot);
    Tensors results{likelihoods(), at_token(softmax(scores), texts_.token)};
    if (!attention.empty()) results.push_back(stack(attention, 1));
    return results;
  }

 private:
  // Fills states_; gives the heads' probabilities, [rows, prompt + room, source] each.
  std::vector<Tensor> read_states() {
    const Tensors source =
        decoder_.read_source(given_[argument::source], given_[argument::source_mask]);
    Tensors caches = decoder_.empty(shape_.rows, shape_.prompt + shape_.room);
    const Tensor& starts = given_[argument::starts];
    std::vector<Tensor> heads;
    if (shape_.kept_heads.empty()) {
      states_ = decoder_.states(texts_.ids, starts, constant(0), caches, source);
      return heads;
    }
    const KeptAttention kept;
    states_ = decoder_.states(texts_.ids, starts, constant(0), caches, source);
    const std::vector<Tensor> all_layers = kept.all();  // to itself and to the source, in turns
    for (const auto& [layer, head] : shape_.kept_heads) {
      const Tensor& weights = all_layers.at(static_cast<size_t>(2 * layer + 1));
      heads.push_back(cast(weights[{all, head}], DType::f32));
    }
    return heads;
  }

  Tensor scores_after(const Tensor& slot) const { return decoder_.scores(states_[{all, slot}]); }

  // One token after the other: all their scores at once would be large.
  Tensor likelihoods() const {
    const Tensors start{constant(0), zeros({shape_.rows}), given_[argument::finished],
                        given_[argument::seen]};
    return while_loop(
        start,
        [&](const Tensors& now) {
          return logical_and(now[0] < given_[argument::count], any(!now[2]));
        },
        [&](const Tensors& now) { return round(now); })[1];
  }

  Tensors round(const Tensors& now) const {
    const Tensor &step = now[0], &finished = now[2], &seen = now[3];
    const Tensor token = texts_.ids[{all, step + shape_.prompt}];
    const Tensor column = expand_dims(token, 1);
    const NextTokenOptions options = rules_.options(texts_.ids, seen, step);
    const Tensor scores = chosen_from(scores_after(step + (shape_.prompt - 1)), options);
    const Tensor likely = at_token(log_softmax(scores), column);
    return {step + 1, now[1] + where(finished, 0.0, likely),
            logical_or(finished, rules_.ends(token)),
            logical_or(seen, iota(seen.shape(), 1) == column)};
  }

  // The scores that the token was chosen from, at a temperature of 1.
  static Tensor chosen_from(const Tensor& scores, const NextTokenOptions& options) {
    Tensor x = changed_scores(scores, options);
    if (!options.do_sample) return x;
    if (options.temperature) x = x - max(x, {.axis = 1, .keepdims = true});
    x = warped_scores(x, options);
    return options.temperature ? x * *options.temperature : x;
  }

  const Decoder& decoder_;
  const GenerateShape& shape_;
  const Tensors& given_;
  const TextsToRead& texts_;
  const TextScores rules_;
  Tensor states_;  // [rows, prompt + room, size]
};

}  // namespace

Tensors read_texts(const Decoder& decoder, const GenerateShape& shape, const Tensors& given,
                   const TextsToRead& texts) {
  return TextReader(decoder, shape, given, texts).run();
}

}  // namespace systolic::inline v0
