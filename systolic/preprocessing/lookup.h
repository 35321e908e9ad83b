// Tokens to their places in a vocabulary and back: what StringLookup, IntegerLookup and
// TextVectorization have in common (keras.layers.StringLookup). On the host.
//
// Places are those of Keras: 0 for the mask token, where there is one and the output is "int"; then
// `num_oov_indices` places for tokens that are not in the vocabulary; then the vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/preprocessing/vocabulary.h"

namespace systolic::inline v0 {

template <class Token>
struct LookupRules {
  std::optional<int64_t> max_tokens = {};  // with all special ones
  int64_t num_oov_indices = 1;
  std::optional<Token> mask_token = {};
  Token oov_token = {};
  // May begin with the mask token and num_oov_indices times the oov token.
  TokenList<Token> vocabulary = {};
  std::vector<double> idf_weights = {};  // one for each of `vocabulary`
  bool invert = false;
  std::string_view output_mode = "int";  // int one_hot multi_hot count tf_idf
  bool pad_to_max_tokens = false;
  // The key by which SipHash, instead of FarmHash, chooses the place of an unknown token.
  std::optional<std::pair<int64_t, int64_t>> salt = {};
  bool hashes_integers = false;  // instead of their remainder

  int64_t oov_start() const { return mask_token && output_mode == "int" ? 1 : 0; }
  int64_t token_start() const { return oov_start() + num_oov_indices; }
};

// InvalidArgument for rules that contradict each other: max_tokens below 2, pad_to_max_tokens
// without it, idf_weights in another mode than "tf_idf" or of another number, invert in another
// mode than "int".
template <class Token>
void check_rules(const LookupRules<Token>& rules);

// A vocabulary that was checked: its tokens begin at `first` of the list.
template <class Token>
class Lookup {
 public:
  // FailedPrecondition without a vocabulary; InvalidArgument for tokens that come twice, for
  // special ones in the wrong place, and for more than max_tokens.
  explicit Lookup(LookupRules<Token> rules);

  const LookupRules<Token>& rules() const { return rules_; }
  // With the special tokens.
  int64_t size() const { return rules_.token_start() + rules_.vocabulary.size() - first_; }
  // The last axis of encodings.
  int64_t depth() const;
  // -1: a mask token where masks are left out. InvalidArgument for an unknown token where
  // num_oov_indices is 0.
  int64_t place_of(typename TokenList<Token>::View token) const;
  // The token at a place; the oov token for those that have none.
  Token token_at(int64_t place) const;
  // One for each of depth(): what tf_idf multiplies counts with.
  std::vector<double> weights() const;
  // All tokens by place.
  std::vector<Token> vocabulary(bool include_special_tokens) const;

 private:
  LookupRules<Token> rules_;
  int64_t first_ = 0;
};

// Strings or integers of any shape to places or their encoding; with `invert` i64 places to tokens.
Literal look_up(const Lookup<std::string>& lookup, const Literal& x);
Literal look_up(const Lookup<int64_t>& lookup, const Literal& x);

// Counts tokens, and in how many documents they are: what `adapt` learns.
template <class Token>
class TokenCounts {
 public:
  void add_document(std::span<const typename TokenList<Token>::View> tokens);
  // The tokens that are not special ones, those that come more often first and among equals the
  // larger one, as many as max_tokens leaves room for; with "tf_idf" the weights as well.
  // FailedPrecondition where there were none.
  void finish(LookupRules<Token>& rules) const;

 private:
  struct Count {
    int64_t tokens = 0, documents = 0, last_document = -1;
  };
  std::unordered_map<Token, Count> counts_;
  int64_t documents_ = 0;
};

// Each row along the last axis is a document.
void count_tokens(TokenCounts<std::string>& counts, const Literal& x);
void count_tokens(TokenCounts<int64_t>& counts, const Literal& x);

extern template void check_rules(const LookupRules<std::string>&);
extern template void check_rules(const LookupRules<int64_t>&);
extern template class Lookup<std::string>;
extern template class Lookup<int64_t>;
extern template class TokenCounts<std::string>;
extern template class TokenCounts<int64_t>;

}  // namespace systolic::inline v0
