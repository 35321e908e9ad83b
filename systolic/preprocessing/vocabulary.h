// The tokens of a lookup, in order, each with its place: strings (Vocabulary) or integers
// (IntegerVocabulary).
//
//   StringLookup{.vocabulary = {"cat", "dog"}}
//   StringLookup{.vocabulary = "gs://data/words.txt"}        // a file with a token a line
//
// A value: copies share the tokens and their table.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

template <class Token>
class TokenList {
 public:
  // How a token is passed.
  using View = std::conditional_t<std::is_same_v<Token, std::string>, std::string_view, Token>;

  TokenList() = default;
  TokenList(std::initializer_list<Token> tokens) : TokenList(std::vector<Token>(tokens)) {}
  TokenList(std::vector<Token> tokens);  // NOLINT: a list of tokens is one
  // A file of UTF-8 with a token a line; empty lines at its end are none. NotFound without the
  // file, and for integers an InvalidArgument that names the line that holds something else.
  TokenList(const char* path, SourceLocation location = SourceLocation::current())  // NOLINT
      : TokenList(std::string(path), location) {}
  TokenList(const std::string& path,  // NOLINT
            SourceLocation location = SourceLocation::current());

  bool empty() const { return table_ == nullptr; }
  int64_t size() const { return static_cast<int64_t>(tokens().size()); }
  const std::vector<Token>& tokens() const;
  // Where the token stands, counted from 0; the last place of one that stands there several times;
  // -1 where it does not.
  int64_t find(View token) const;
  // A token that stands at two places from `begin` on; nullptr without one.
  const Token* repeated_from(int64_t begin) const;

  friend bool operator==(const TokenList& a, const TokenList& b) {
    return a.table_ == b.table_ || a.tokens() == b.tokens();
  }

 private:
  struct Table;
  std::shared_ptr<const Table> table_;  // none where there are no tokens
};

extern template class TokenList<std::string>;
extern template class TokenList<int64_t>;

using Vocabulary = TokenList<std::string>;
using IntegerVocabulary = TokenList<int64_t>;

}  // namespace systolic::inline v0
