// Training of Unigram: many substrings become pieces, their probabilities are fitted by
// expectation-maximization, and those that matter least to the texts' likelihood are removed until
// `vocab_size` are left (Kudo, arXiv 1804.10959, 3.2).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/text/patterns/double_array_trie.h"
#include "systolic/text/trainers/trainer.h"

namespace systolic::inline v0 {
namespace text {

// The derivative of ln(gamma(x)), x > 0, within 1e-12 (Abramowitz and Stegun, 6.3.5 and 6.3.18).
double digamma(double x);

// What training starts with: every character with its count, the most frequent first; then
// substrings of 2 to `longest` characters that are seen in two places or more and continue in two
// ways, by falling occurrences (in distinct words) x length. At most `most`, but always all
// characters.
std::vector<std::pair<std::string, uint64_t>> seed_pieces(const PieceCounts& words, size_t longest,
                                                          size_t most);

class UnigramTrainer {
 public:
  using Scored = std::vector<std::pair<std::string, double>>;
  UnigramTrainer(const PieceCounts& words, const TrainOptions& options);
  void run();
  // What is left and fits after the tokens `taken`, with the logarithms of the probabilities,
  // falling; all characters are in. InvalidArgument where those alone are too many.
  Scored pieces(const std::vector<std::string>& taken) const;

 private:
  struct Path {
    std::vector<int32_t> best, second;  // ids; second is empty where there is one way only
  };
  int32_t unknown() const { return static_cast<int32_t>(tokens_.size()); }
  template <class Visit>
  void visit_arcs(std::string_view text, const Visit& visit) const;
  void add_expected(std::string_view word, double count, std::vector<double>& expected) const;
  void fit_once();
  Path two_best(std::string_view text) const;
  double loss_without(int32_t id, const std::vector<int32_t>& instead,
                      const std::vector<double>& counts, double sum) const;
  std::vector<double> best_counts() const;
  void prune();
  void update_unknown();
  std::set<std::string> characters() const;

  const PieceCounts& words_;
  const TrainOptions& options_;
  size_t wanted_;  // the rounds end with no more pieces
  std::vector<std::string> tokens_;
  std::vector<double> scores_;  // by token; NaN: removed
  std::vector<int32_t> order_;  // those that are left
  double unknown_score_ = 0;
  DoubleArrayTrie trie_;
};

}  // namespace text
}  // namespace systolic::inline v0
