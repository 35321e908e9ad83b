#include "systolic/transformers/generation/program/beam_search.h"

#include <algorithm>

#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"

namespace systolic::inline v0 {
namespace {

namespace argument = generate_argument;
using When = BeamStopping::When;

// The score of what does not count. Finite, as transformers has it: sums of it stay comparable.
constexpr double out = -1e9;

// Rows of x [rows, n, ...] by places i32 [rows, m] in each: [rows, m, ...].
Tensor picked(const Tensor& x, const Tensor& places) {
  const int64_t rows = x.shape()[0], n = x.shape()[1];
  Shape flat = x.shape().without(0);
  flat.set(0, rows * n);
  return gather(reshape(x, flat), places + iota({rows, 1}, 0) * n);
}

// One of each kind for each row and beam.
struct Beams {
  Tensor ids;     // i32 [rows, beams, prompt + room]
  Tensor scores;  // f32 [rows, beams], falling
};

struct Search {
  Tensor step;         // i32: tokens that were generated
  Beams running;       // that may become longer
  Beams ended;         // the best of those that have ended
  Tensor has_ended;    // pred [rows, beams]: whether there is such a text
  Tensor lengths;      // i32 [rows, beams]: tokens that were generated for it
  Tensor may_improve;  // pred [rows, 1]: whether a running one may become one of the best
  Tensor goes_on;      // pred
  Tensor seen;         // pred [rows * beams, vocabulary or 1]: tokens of the running texts
  Tensors caches;

  Tensors joined() const {
    Tensors state{step,      running.ids, running.scores, ended.ids, ended.scores,
                  has_ended, lengths,     may_improve,    goes_on,   seen};
    state.insert(state.end(), caches.begin(), caches.end());
    return state;
  }
  static Search of(const Tensors& s) {
    return {.step = s[0],
            .running = {s[1], s[2]},
            .ended = {s[3], s[4]},
            .has_ended = s[5],
            .lengths = s[6],
            .may_improve = s[7],
            .goes_on = s[8],
            .seen = s[9],
            .caches = Tensors(s.begin() + 10, s.end())};
  }
};

// The likeliest continuations of a row by one token, more than there are beams.
struct Candidates {
  Tensor ids;     // i32 [rows, kept, prompt + room], with the token
  Tensor tokens;  // i32 [rows, kept]
  Tensor scores;  // f32 [rows, kept]
  Tensor beams;   // i32 [rows, kept]: which running text each continues
  Tensor ends;    // pred [rows, kept]
};

class BeamSearch {
 public:
  BeamSearch(const Decoder& decoder, const GenerateShape& shape, const Tensors& given)
      : scores_(decoder, shape, given),
        shape_(shape),
        given_(given),
        vocabulary_(decoder.sizes().vocabulary),
        // Even where all of the best end, there are enough to go on with.
        kept_(std::min(std::max<int64_t>(2, 1 + shape.ends) * shape.beams,
                       shape.beams * vocabulary_)) {}

  Tensors run() {
    const Tensor scores = TextScores::repeated_rows(scores_.begin(), shape_.beams);
    scores_.repeat_rows(shape_.beams);
    Search search = begin();
    search = advanced(search, scores);
    const Tensors state = while_loop(
        search.joined(), [](const Tensors& now) { return Search::of(now).goes_on; },
        [&](const Tensors& now) { return round(now); });
    return result(Search::of(state));
  }

 private:
  Search begin() const {
    const int64_t rows = shape_.rows, beams = shape_.beams;
    const Tensor room = broadcast_to(given_[argument::padding], {rows, shape_.room});
    const Tensor texts = TextScores::repeated_rows(concat({given_[argument::ids], room}, 1), beams);
    const Tensor ids = reshape(texts, {rows, beams, shape_.prompt + shape_.room});
    // All beams are equal: what continues the first counts.
    const Tensor is_first = iota({rows, beams}, 1) == 0;
    return {.step = constant(0),
            .running = {ids, where(is_first, 0.0, fill({rows, beams}, out))},
            .ended = {ids, fill({rows, beams}, out)},
            .has_ended = zeros({rows, beams}, DType::pred),
            .lengths = zeros({rows, beams}, DType::i32),
            .may_improve = ones({rows, 1}, DType::pred),
            .goes_on = ones({}, DType::pred),
            .seen = TextScores::repeated_rows(given_[argument::seen], beams),
            .caches = scores_.caches()};
  }

  Tensors round(const Tensors& now) const {
    Search search = Search::of(now);
    const Tensor last = search.running.ids[{all, all, search.step + (shape_.prompt - 1)}];
    const Tensor scores =
        scores_.next(reshape(last, {shape_.rows * shape_.beams}), search.step, search.caches);
    return advanced(search, scores).joined();
  }

  Candidates candidates(const Search& search, const Tensor& scores) const {
    const int64_t rows = shape_.rows, beams = shape_.beams, all_beams = rows * beams;
    const Tensor texts = reshape(search.running.ids, {all_beams, shape_.prompt + shape_.room});
    const NextTokenOptions options = scores_.options(texts, search.seen, search.step);
    Tensor sums = changed_scores(log_softmax(scores), options);
    if (shape_.do_sample) sums = warped_scores(sums, options);
    sums = reshape(sums, {rows, beams, vocabulary_}) + expand_dims(search.running.scores, 2);
    sums = reshape(sums, {rows, beams * vocabulary_});
    // The largest after adding Gumbel's noise are drawn, each once.
    const Tensor noisy =
        shape_.do_sample
            ? sums + gumbel_noise(random_uniform(sums.shape(), 0, 1, {.key = options.key}))
            : sums;
    const TopK best = top_k(noisy, kept_);
    Candidates result;
    result.beams = best.indices / vocabulary_;
    result.tokens = best.indices - result.beams * vocabulary_;
    result.scores = shape_.do_sample ? take_along_axis(sums, best.indices) : best.values;
    const Tensor place = search.step + shape_.prompt;
    result.ids = slice_update(picked(search.running.ids, result.beams), {0, 0, place},
                              expand_dims(result.tokens, 2));
    const Tensor is_last = search.step + 1 >= given_[argument::count];
    result.ends = logical_or(scores_.ends(result.tokens), is_last);
    return result;
  }

  // Keeps the best of those that go on.
  void run_on(Search& search, const Candidates& found) const {
    const int64_t all_beams = shape_.rows * shape_.beams;
    const TopK best = top_k(found.scores + cast(found.ends, DType::f32) * out, shape_.beams);
    search.running = {picked(found.ids, best.indices), best.values};
    const Tensor from =
        picked(found.beams, best.indices) + iota({shape_.rows, 1}, 0) * shape_.beams;
    const Tensor flat = reshape(from, {all_beams});
    const Tensor tokens = reshape(picked(found.tokens, best.indices), {all_beams, 1});
    search.seen = logical_or(gather(search.seen, flat), iota(search.seen.shape(), 1) == tokens);
    for (Tensor& cache : search.caches) cache = gather(cache, flat);
  }

  // Keeps the best of those that end, without the candidates beyond the beams, which are there to
  // go on with.
  void keep_ended(Search& search, const Candidates& found) const {
    const Tensor ends_now = logical_and(found.ends, iota({1, kept_}, 1) < shape_.beams);
    const Tensor length = search.step + 1;
    Tensor barred = logical_or(!ends_now, !search.may_improve);
    if (shape_.early_stopping.when() == When::enough)
      barred = logical_or(barred, all(search.has_ended, {.axis = 1, .keepdims = true}));
    const Tensor ranks = where(barred, out, found.scores / weight_of(length));
    const TopK best = top_k(concat({search.ended.scores, ranks}, 1), shape_.beams);
    const auto merged = [&](const Tensor& before, const Tensor& now) {
      return picked(concat({before, now}, 1), best.indices);
    };
    search.ended = {merged(search.ended.ids, found.ids), best.values};
    search.has_ended = merged(search.has_ended, ends_now);
    search.lengths = merged(search.lengths, broadcast_to(length, {shape_.rows, kept_}));
  }

  // What sums of so many tokens' scores are divided by.
  Tensor weight_of(const Tensor& length) const { return given_[argument::length_weights][length]; }

  // By one token for each text.
  Search advanced(Search search, const Tensor& scores) const {
    const Candidates found = candidates(search, scores);
    run_on(search, found);
    keep_ended(search, found);
    search.step = search.step + 1;
    // The longest texts have the best rank where the power is above 0, as `transformers` takes it.
    const Tensor length =
        shape_.early_stopping.when() == When::never
            ? where(given_[argument::length_weights][2] > 1.0, given_[argument::count], search.step)
            : search.step;
    const Tensor hoped = search.running.scores[{all, Slice{.end = 1}}] / weight_of(length);
    const Tensor worst = min(search.ended.scores, {.axis = 1, .keepdims = true});
    const Tensor beaten = where(search.has_ended, worst, out);
    search.may_improve =
        logical_and(search.may_improve, any(hoped > beaten, {.axis = 1, .keepdims = true}));
    search.goes_on = logical_and(any(search.may_improve), !all(found.ends));
    if (shape_.early_stopping.when() == When::enough)
      search.goes_on = logical_and(search.goes_on, !all(search.has_ended));
    return search;
  }

  // Rows that nobody asked for do not count.
  Tensors result(const Search& search) const {
    const auto best = [&](const Tensor& x) { return x[{all, Slice{.end = shape_.returned}}]; };
    const Tensor ids = reshape(best(search.ended.ids),
                               {shape_.rows * shape_.returned, shape_.prompt + shape_.room});
    const Tensor lengths =
        where(expand_dims(given_[argument::finished], 1), 0, best(search.lengths));
    return {ids, max(lengths)};
  }

  TextScores scores_;
  const GenerateShape& shape_;
  const Tensors& given_;
  int64_t vocabulary_, kept_;
};

}  // namespace

Tensors beam_search(const Decoder& decoder, const GenerateShape& shape, const Tensors& given) {
  return BeamSearch(decoder, shape, given).run();
}

}  // namespace systolic::inline v0
