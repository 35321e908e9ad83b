// WordPiece: takes the longest token of the vocabulary that begins the rest of the word, again and
// again; a word where that fails is one unknown token.
//
// In linear time: a trie whose states know which tokens to give out where it cannot go on (Song et
// al., Fast WordPiece Tokenization, arXiv 2012.15524).
#pragma once

#include <string>
#include <vector>

#include "systolic/text/models/model.h"
#include "systolic/text/patterns/double_array_trie.h"

namespace systolic::inline v0 {
namespace text {

class WordPiece : public Model {
 public:
  struct Config {
    std::string unk_token = "[UNK]";
    std::string continuing_subword_prefix = "##";
    int64_t max_input_chars_per_word = 100;
  };
  WordPiece(Vocabulary vocabulary, Config config);
  static std::unique_ptr<WordPiece> from_json(const JsonView& json);

  std::string_view type() const override { return "WordPiece"; }
  void tokenize(std::string_view word, std::vector<Token>& tokens) const override;
  std::string to_json() const override;

  // Cuts a word that is not too long: writes places in vocabulary().entries() to `entries`, which
  // has room for as many as the word has bytes, and returns how many; 0 where the word has no
  // tokens.
  size_t split(std::string_view word, int32_t* entries) const;
  int32_t id_of_entry(int32_t entry) const { return ids_[static_cast<size_t>(entry)]; }
  // How many bytes of a word are taken by a token at its start, or after it.
  uint32_t length_at_start(int32_t entry) const { return lengths_[static_cast<size_t>(entry)]; }
  uint32_t length_inside(int32_t entry) const { return length_at_start(entry) - prefix_size_; }
  // Whether the word has more characters than are looked at.
  bool too_long(std::string_view word) const;
  // Raises for a vocabulary that has no unknown token.
  int32_t unknown_id() const;
  const Config& config() const { return config_; }

 private:
  void build_failures(const DoubleArrayTrie& trie, bool inside);
  size_t split_by_failures(std::string_view word, int32_t* entries) const;
  size_t split_greedily(std::string_view word, int32_t* entries) const;

  // What to do in a state that has no way on: give out `count` tokens and go to `next`, a state of
  // the trie of word-internal tokens; none where the word has no tokens.
  struct Failure {
    int32_t next = DoubleArrayTrie::none;
    uint32_t first = 0, count = 0;
  };
  Failure failure_of(const DoubleArrayTrie& trie, const std::vector<Failure>& failures,
                     int32_t state);
  Config config_;
  uint32_t prefix_size_;
  std::optional<int32_t> unknown_;
  DoubleArrayTrie starts_, insides_;
  std::vector<Failure> start_failures_, inside_failures_;
  std::vector<int32_t> given_;  // entries that failures give out
  bool linear_ = true;          // false: too many to give out; matching is greedy instead
  std::vector<int32_t> ids_;    // of each entry
  std::vector<uint32_t> lengths_;
};

}  // namespace text
}  // namespace systolic::inline v0
