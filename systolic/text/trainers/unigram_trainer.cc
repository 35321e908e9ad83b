#include "systolic/text/trainers/unigram_trainer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "systolic/base/error.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr double no_way = -std::numeric_limits<double>::infinity();
constexpr double removed = std::numeric_limits<double>::quiet_NaN();
// A character that no piece begins with costs this much more than the least likely piece.
constexpr double unknown_penalty = 10.0;
// The unknown one counts as a piece while their number shrinks, as in the package.
constexpr size_t unknown_pieces = 1;
// A piece that is expected less often is removed.
constexpr double least_expected = 0.5;

// ln(e^a + e^b)
double log_sum(double a, double b) {
  const double most = std::max(a, b);
  return most == no_way ? no_way : most + std::log1p(std::exp(std::min(a, b) - most));
}

void check(const TrainOptions& options) {
  if (!(options.shrinking_factor > 0 && options.shrinking_factor < 1)) {
    raise<InvalidArgument>({.what = "a shrinking_factor for training",
                            .got = str(options.shrinking_factor),
                            .wanted = "between 0 and 1, such as 0.75"});
  }
}

}  // namespace

double digamma(double x) {
  double result = 0;
  for (; x < 10; x += 1) result -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132)))));
  return result + std::log(x) - 0.5 / x - series;
}

UnigramTrainer::UnigramTrainer(const PieceCounts& words, const TrainOptions& options)
    : words_(words),
      options_(options),
      wanted_(std::min(options.vocab_size, size_t{1} << 40) * 11 / 10) {
  check(options);
  const size_t longest = options.max_token_length == 0 ? 16 : options.max_token_length;
  double sum = 0;
  std::vector<std::pair<std::string_view, int32_t>> keys;
  for (auto& [token, weight] : seed_pieces(words, longest, options.seed_size)) {
    tokens_.push_back(std::move(token));
    scores_.push_back(static_cast<double>(weight));
    sum += static_cast<double>(weight);
  }
  for (double& score : scores_) score = std::log(score) - std::log(sum);
  order_.resize(tokens_.size());
  std::iota(order_.begin(), order_.end(), 0);
  for (const int32_t id : order_) keys.emplace_back(tokens_[static_cast<size_t>(id)], id);
  trie_ = DoubleArrayTrie(std::move(keys));
  update_unknown();
}

void UnigramTrainer::update_unknown() {
  double least = std::numeric_limits<double>::infinity();
  for (const int32_t id : order_) least = std::min(least, scores_[static_cast<size_t>(id)]);
  unknown_score_ = least - unknown_penalty;
}

void UnigramTrainer::run() {
  while (!order_.empty()) {
    for (size_t i = 0; i < options_.sub_iterations; ++i) fit_once();
    if (order_.size() + unknown_pieces <= wanted_) return;
    const size_t before = order_.size();
    prune();
    if (order_.size() == before) return;  // nothing else can be written in another way
  }
}

// Calls visit(begin, end, id, score) for each piece in the text, by where it begins; a character
// that is no piece counts as one unknown.
template <class Visit>
void UnigramTrainer::visit_arcs(std::string_view text, const Visit& visit) const {
  for (size_t begin = 0; begin < text.size();) {
    const size_t width = utf8_size(static_cast<unsigned char>(text[begin]));
    bool single = false;
    int32_t state = DoubleArrayTrie::root;
    for (size_t at = begin; at < text.size(); ++at) {
      state = trie_.next(state, static_cast<unsigned char>(text[at]));
      if (state == DoubleArrayTrie::none) break;
      const int32_t id = trie_.value(state);
      if (id == DoubleArrayTrie::none || std::isnan(scores_[static_cast<size_t>(id)])) continue;
      visit(begin, at + 1, id, scores_[static_cast<size_t>(id)]);
      single |= at + 1 == begin + width;
    }
    if (!single) visit(begin, begin + width, unknown(), unknown_score_);
    begin += width;
  }
}

// Adds how often each piece is expected in the word, over all ways to cut it (forward-backward).
void UnigramTrainer::add_expected(std::string_view word, double count,
                                  std::vector<double>& expected) const {
  struct Arc {
    size_t begin, end;
    int32_t id;
    double score;
  };
  std::vector<Arc> arcs;
  std::vector<double> before(word.size() + 1, no_way), after(word.size() + 1, no_way);
  before.front() = after.back() = 0;
  visit_arcs(word, [&](size_t begin, size_t end, int32_t id, double score) {
    arcs.push_back({begin, end, id, score});
    before[end] = log_sum(before[end], before[begin] + score);
  });
  for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) {
    after[arc->begin] = log_sum(after[arc->begin], after[arc->end] + arc->score);
  }
  for (const Arc& arc : arcs) {
    expected[static_cast<size_t>(arc.id)] +=
        count * std::exp(before[arc.begin] + arc.score + after[arc.end] - before.back());
  }
}

// One step of expectation-maximization, with the digamma function in place of the logarithm: rare
// pieces become rarer (Liang et al., The Infinite PCFG, 2007).
void UnigramTrainer::fit_once() {
  std::vector<double> expected(tokens_.size() + 1, 0.0);
  for (const auto& [word, count] : words_) {
    add_expected(word, static_cast<double>(count), expected);
  }
  std::vector<int32_t> left;
  double sum = 0;
  for (const int32_t id : order_) {
    const double count = expected[static_cast<size_t>(id)];
    if (count < least_expected) {
      scores_[static_cast<size_t>(id)] = removed;
      continue;
    }
    left.push_back(id);
    sum += count;
  }
  order_ = std::move(left);
  for (const int32_t id : order_) {
    scores_[static_cast<size_t>(id)] = digamma(expected[static_cast<size_t>(id)]) - digamma(sum);
  }
  update_unknown();
}

// The best and the second best way to cut the text.
UnigramTrainer::Path UnigramTrainer::two_best(std::string_view text) const {
  struct Step {
    double score = no_way;
    size_t begin = 0;
    int32_t id = 0;
    bool from_second = false;
  };
  std::vector<Step> best(text.size() + 1), second(text.size() + 1);
  best[0].score = 0;
  visit_arcs(text, [&](size_t begin, size_t end, int32_t id, double score) {
    for (const bool from_second : {false, true}) {
      const double before = (from_second ? second : best)[begin].score;
      const Step step{before + score, begin, id, from_second};
      if (step.score > best[end].score) {
        second[end] = std::exchange(best[end], step);
      } else if (step.score > second[end].score) {
        second[end] = step;
      }
    }
  });
  const auto ids = [&](bool is_second) {
    std::vector<int32_t> path;
    for (size_t end = text.size(); end > 0;) {
      const Step& step = (is_second ? second : best)[end];
      if (step.score == no_way) break;
      path.push_back(step.id);
      end = step.begin;
      is_second = step.from_second;
    }
    return path;
  };
  return {ids(false), ids(true)};
}

// How often each piece is in the best ways to cut the words.
std::vector<double> UnigramTrainer::best_counts() const {
  std::vector<double> counts(tokens_.size() + 1, 0.0);
  for (const auto& [word, count] : words_) {
    for (const int32_t id : two_best(word).best) {
      counts[static_cast<size_t>(id)] += static_cast<double>(count);
    }
  }
  return counts;
}

// What likelihood the texts lose, per token, where `instead` is written for the piece.
double UnigramTrainer::loss_without(int32_t id, const std::vector<int32_t>& instead,
                                    const std::vector<double>& counts, double sum) const {
  const double count = counts[static_cast<size_t>(id)];
  const double sum_instead = sum + count * static_cast<double>(instead.size() - 1);
  double score = 0;
  for (const int32_t other : instead) {
    score += std::log(counts[static_cast<size_t>(other)] + count) - std::log(sum_instead);
  }
  return count * (std::log(count) - std::log(sum) - score);
}

// Removes pieces that no best way uses and, of those that can be written with others, the ones that
// cost the least of the texts' likelihood.
void UnigramTrainer::prune() {
  const std::vector<double> counts = best_counts();
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  std::vector<int32_t> left;
  std::vector<std::pair<double, int32_t>> candidates;
  for (const int32_t id : order_) {
    const Path path = two_best(tokens_[static_cast<size_t>(id)]);
    const bool is_whole = path.best.size() == 1;
    const double count = counts[static_cast<size_t>(id)];
    if (count == 0 && !(is_whole || path.second.empty())) continue;
    if (!is_whole || path.second.empty()) {
      left.push_back(id);
    } else if (count > 0) {
      candidates.emplace_back(loss_without(id, path.second, counts, sum), id);
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const auto shrunk = static_cast<size_t>(static_cast<double>(order_.size() + unknown_pieces) *
                                          options_.shrinking_factor);
  const size_t most = std::max(wanted_, shrunk);
  for (const auto& [loss, id] : candidates) {
    if (left.size() + unknown_pieces >= most) break;
    left.push_back(id);
  }
  std::vector<double> scores(scores_.size(), removed);
  for (const int32_t id : left) {
    scores[static_cast<size_t>(id)] = scores_[static_cast<size_t>(id)];
  }
  scores_ = std::move(scores);
  order_ = std::move(left);
  update_unknown();
}

std::set<std::string> UnigramTrainer::characters() const {
  std::set<std::string> found;
  const auto add = [&](char32_t c) { found.insert(to_utf8(std::u32string_view(&c, 1))); };
  for (const auto& [word, count] : words_) {
    for_each_character(word, [&](char32_t c, size_t, size_t) { add(c); });
  }
  for (const char32_t c : options_.initial_alphabet) add(c);
  return found;
}

UnigramTrainer::Scored UnigramTrainer::pieces(const std::vector<std::string>& taken) const {
  std::unordered_set<std::string> inserted(taken.begin(), taken.end());
  std::unordered_map<std::string_view, double> known;
  for (const int32_t id : order_) {
    known.emplace(tokens_[static_cast<size_t>(id)], scores_[static_cast<size_t>(id)]);
  }
  Scored pieces;
  double unseen = unknown_score_ + unknown_penalty;  // that of the least likely, and a little more
  if (order_.empty()) unseen = 0;
  for (const std::string& character : characters()) {
    if (!inserted.insert(character).second) continue;
    const auto found = known.find(character);
    pieces.emplace_back(character, found == known.end() ? unseen : found->second);
    if (found == known.end()) unseen += 1e-4;
  }
  if (taken.size() + pieces.size() > options_.vocab_size) {
    raise<InvalidArgument>({.what = str("a vocabulary of ", options_.vocab_size, " tokens"),
                            .wanted = str("at least ", taken.size() + pieces.size(),
                                          ": the texts' characters and the special tokens")});
  }
  for (const int32_t id : order_) {
    if (taken.size() + pieces.size() == options_.vocab_size) break;
    const std::string& token = tokens_[static_cast<size_t>(id)];
    if (!inserted.insert(token).second) continue;
    pieces.emplace_back(token, scores_[static_cast<size_t>(id)]);
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return pieces;
}

}  // namespace text
}  // namespace systolic::inline v0
