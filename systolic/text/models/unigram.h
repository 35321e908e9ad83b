// Unigram: cuts a piece into the tokens with the greatest sum of scores (Kudo, arXiv 1804.10959),
// by Viterbi's algorithm over a trie of the tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "systolic/text/models/model.h"
#include "systolic/text/patterns/double_array_trie.h"

namespace systolic::inline v0 {
namespace text {

class Unigram : public Model {
 public:
  // A token and its score, usually the logarithm of its probability. Its id is its place.
  using Scored = std::vector<std::pair<std::string, double>>;
  // `from_file`: the scores count as the package reads them (stored_score.h), and are saved as
  // given.
  Unigram(Scored tokens, std::optional<int32_t> unk_id, bool byte_fallback, bool from_file = false);
  static std::unique_ptr<Unigram> from_json(const JsonView& json);

  std::string_view type() const override { return "Unigram"; }
  void tokenize(std::string_view piece, std::vector<Token>& tokens) const override;
  std::string to_json() const override;
  // The unknown token, or nullptr.
  const std::string* unknown_token() const {
    return unknown_ ? &tokens_[static_cast<size_t>(*unknown_)].first : nullptr;
  }
  bool byte_fallback() const { return byte_fallback_; }

 private:
  // The best way to a place: the token that ends there, and where it begins.
  struct Step {
    double score = 0;
    int64_t begin = -1;  // -1: there is no way yet
    int32_t id = 0;
  };
  void find_best(std::string_view piece, std::vector<Step>& steps) const;
  void add_unknown(std::string_view piece, Range range, std::vector<Token>& tokens) const;
  int32_t unknown_id() const;

  Scored tokens_;
  std::vector<double> scores_;
  std::optional<int32_t> unknown_;
  bool byte_fallback_;
  double unknown_score_;
  DoubleArrayTrie trie_;
};

}  // namespace text
}  // namespace systolic::inline v0
