#include "systolic/preprocessing/lookup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/preprocessing/encode.h"
#include "systolic/preprocessing/fingerprint.h"

namespace systolic::inline v0 {
namespace {

uint64_t hashed(std::string_view token, const std::optional<std::pair<int64_t, int64_t>>& salt) {
  if (!salt) return fingerprint64(token);
  return siphash(static_cast<uint64_t>(salt->first), static_cast<uint64_t>(salt->second), token);
}

// Which of the places for unknown tokens, of several.
int64_t unknown_place(const LookupRules<std::string>& rules, std::string_view token) {
  return static_cast<int64_t>(hashed(token, rules.salt) %
                              static_cast<uint64_t>(rules.num_oov_indices));
}
int64_t unknown_place(const LookupRules<int64_t>& rules, int64_t token) {
  if (rules.hashes_integers) {
    return static_cast<int64_t>(hashed(str(token), rules.salt) %
                                static_cast<uint64_t>(rules.num_oov_indices));
  }
  const int64_t remainder = token % rules.num_oov_indices;
  return remainder < 0 ? remainder + rules.num_oov_indices : remainder;
}

template <class Token>
[[noreturn]] void raise_special(const Token& token, int64_t place) {
  raise<InvalidArgument>(
      {.what = str("the special token '", token, "' stands at place ", place, " of the vocabulary"),
       .wanted = "special tokens at its start alone, the mask token and num_oov_indices times the "
                 "oov token, or none"});
}

// How many tokens at the start of the vocabulary are the special ones: all or none.
template <class Token>
int64_t special_tokens_of(const LookupRules<Token>& rules) {
  const std::vector<Token>& tokens = rules.vocabulary.tokens();
  const auto count = static_cast<size_t>(rules.token_start());
  if (tokens.size() < count) return 0;
  for (size_t i = 0; i < count; ++i) {
    const bool is_mask = static_cast<int64_t>(i) < rules.oov_start();
    if (tokens[i] != (is_mask ? *rules.mask_token : rules.oov_token)) return 0;
  }
  return rules.token_start();
}

void check_type(const Literal& x, bool fits, std::string_view wanted) {
  if (!fits) {
    raise<InvalidArgument>(
        {.what = str("a lookup of ", to_string(x.dtype()), x.shape()), .wanted = str(wanted)});
  }
}

Literal strings_at(const Lookup<std::string>& lookup, const Literal& places) {
  check_type(places, is_integer(places.dtype()), "integers: `invert` takes places");
  std::vector<std::string> tokens;
  for (int64_t i = 0; i < places.size(); ++i)
    tokens.push_back(lookup.token_at(places.integer_at(i)));
  const std::vector<std::string_view> views(tokens.begin(), tokens.end());
  return Literal::strings(views, places.shape());
}

template <class Token>
Literal encoded(const Lookup<Token>& lookup, const Literal& places) {
  const std::string_view mode = lookup.rules().output_mode;
  if (mode == "int") return places;
  return encode_places(places, mode, lookup.depth(), lookup.weights());
}

}  // namespace

template <class Token>
void check_rules(const LookupRules<Token>& rules) {
  const auto refuse = [](std::string what, std::string wanted) {
    raise<InvalidArgument>({.what = std::move(what), .wanted = std::move(wanted)});
  };
  if (rules.max_tokens && *rules.max_tokens < 2)
    refuse(str("max_tokens is ", *rules.max_tokens), "2 or more");
  if (rules.pad_to_max_tokens && !rules.max_tokens)
    refuse("pad_to_max_tokens without max_tokens", "both");
  if (rules.num_oov_indices < 0)
    refuse(str("num_oov_indices is ", rules.num_oov_indices), "0 or more");
  if (rules.invert && rules.output_mode != "int")
    refuse(str("invert with output_mode \"", rules.output_mode, "\""), "\"int\"");
  if (rules.output_mode != "tf_idf" && !rules.idf_weights.empty())
    refuse(str("idf_weights with output_mode \"", rules.output_mode, "\""), "\"tf_idf\"");
}

template <class Token>
Lookup<Token>::Lookup(LookupRules<Token> rules) : rules_(std::move(rules)) {
  check_rules(rules_);
  const TokenList<Token>& all = rules_.vocabulary;
  if (all.empty()) {
    raise<FailedPrecondition>({.what = "there is no vocabulary",
                               .hint = "give one, .vocabulary = {...}, or call adapt(data)"});
  }
  first_ = special_tokens_of(rules_);
  if (const Token* repeated = all.repeated_from(first_)) {
    raise<InvalidArgument>(
        {.what = str("the vocabulary has '", *repeated, "' twice"), .wanted = "each token once"});
  }
  const auto check_special = [&](const Token& token) {
    const int64_t place = all.find(token);
    if (place >= first_) raise_special(token, place);
  };
  if (rules_.mask_token) check_special(*rules_.mask_token);
  if (rules_.invert) check_special(rules_.oov_token);
  if (rules_.max_tokens && size() > *rules_.max_tokens) {
    raise<InvalidArgument>({.what = str("a vocabulary of ", size(), " tokens with special ones"),
                            .wanted = str("at most max_tokens, ", *rules_.max_tokens)});
  }
  if (rules_.output_mode == "tf_idf" &&
      static_cast<int64_t>(rules_.idf_weights.size()) != all.size()) {
    raise<InvalidArgument>({.what = str(rules_.idf_weights.size(), " idf_weights for ", all.size(),
                                        " tokens of the vocabulary"),
                            .wanted = "one for each; adapt(data) learns both"});
  }
}

template <class Token>
int64_t Lookup<Token>::depth() const {
  return rules_.pad_to_max_tokens ? *rules_.max_tokens : size();
}

template <class Token>
int64_t Lookup<Token>::place_of(typename TokenList<Token>::View token) const {
  if (rules_.mask_token && token == *rules_.mask_token) return rules_.output_mode == "int" ? 0 : -1;
  const int64_t found = rules_.vocabulary.find(token);
  if (found >= first_) return rules_.token_start() + found - first_;
  if (rules_.num_oov_indices == 0) {
    raise<InvalidArgument>({.what = str("'", token, "' is not in the vocabulary"),
                            .hint = "num_oov_indices = 1 gives such tokens a place"});
  }
  return rules_.oov_start() + (rules_.num_oov_indices == 1 ? 0 : unknown_place(rules_, token));
}

template <class Token>
Token Lookup<Token>::token_at(int64_t place) const {
  if (rules_.mask_token && place == 0) return *rules_.mask_token;
  const int64_t token = place - rules_.token_start();
  if (token < 0 || token >= rules_.vocabulary.size() - first_) return rules_.oov_token;
  return rules_.vocabulary.tokens()[static_cast<size_t>(token + first_)];
}

template <class Token>
std::vector<double> Lookup<Token>::weights() const {
  if (rules_.output_mode != "tf_idf") return {};
  const std::vector<double>& given = rules_.idf_weights;
  std::vector<double> result;
  if (first_ == 0) {  // unknown tokens weigh as much as the others do on average
    const double mean =
        std::accumulate(given.begin(), given.end(), 0.0) / static_cast<double>(given.size());
    result.assign(static_cast<size_t>(rules_.token_start()), mean);
  }
  result.insert(result.end(), given.begin(), given.end());
  result.resize(static_cast<size_t>(depth()), 0);
  return result;
}

template <class Token>
std::vector<Token> Lookup<Token>::vocabulary(bool include_special_tokens) const {
  std::vector<Token> result;
  for (int64_t i = include_special_tokens ? 0 : rules_.token_start(); i < size(); ++i) {
    const bool is_mask = i < rules_.oov_start();
    const bool is_special = i < rules_.token_start();
    result.push_back(
        is_mask ? *rules_.mask_token
        : is_special
            ? rules_.oov_token
            : rules_.vocabulary.tokens()[static_cast<size_t>(i - rules_.token_start() + first_)]);
  }
  return result;
}

Literal look_up(const Lookup<std::string>& lookup, const Literal& x) {
  if (lookup.rules().invert) return strings_at(lookup, x);
  check_type(x, x.dtype() == DType::string, "strings");
  Literal places(DType::i64, x.shape());
  const std::span<int64_t> to = places.mutable_data<int64_t>();
  for (size_t i = 0; i < to.size(); ++i)
    to[i] = lookup.place_of(x.string_at(static_cast<int64_t>(i)));
  return encoded(lookup, places);
}

Literal look_up(const Lookup<int64_t>& lookup, const Literal& x) {
  check_type(x, is_integer(x.dtype()), "integers");
  Literal result(DType::i64, x.shape());
  const std::span<int64_t> to = result.mutable_data<int64_t>();
  for (size_t i = 0; i < to.size(); ++i) {
    const int64_t value = x.integer_at(static_cast<int64_t>(i));
    to[i] = lookup.rules().invert ? lookup.token_at(value) : lookup.place_of(value);
  }
  return lookup.rules().invert ? result : encoded(lookup, result);
}

template <class Token>
void TokenCounts<Token>::add_document(std::span<const typename TokenList<Token>::View> tokens) {
  for (const auto& token : tokens) {
    Count& count = counts_[Token(token)];
    ++count.tokens;
    if (count.last_document != documents_) ++count.documents;
    count.last_document = documents_;
  }
  ++documents_;
}

template <class Token>
void TokenCounts<Token>::finish(LookupRules<Token>& rules) const {
  std::vector<std::pair<Count, Token>> found;
  for (const auto& [token, count] : counts_) {
    const bool is_special = token == rules.oov_token || (rules.mask_token == token);
    if (!is_special) found.emplace_back(count, token);
  }
  if (found.empty()) {
    raise<FailedPrecondition>({.what = "adapt found no tokens in the data",
                               .wanted = "one or more that are no special tokens"});
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    return a.first.tokens != b.first.tokens ? a.first.tokens > b.first.tokens : a.second > b.second;
  });
  if (rules.max_tokens) {
    const int64_t room = std::max<int64_t>(*rules.max_tokens - rules.token_start(), 0);
    found.resize(std::min(found.size(), static_cast<size_t>(room)));
  }
  std::vector<Token> tokens;
  rules.idf_weights.clear();
  for (const auto& [count, token] : found) {
    tokens.push_back(token);
    if (rules.output_mode != "tf_idf") continue;
    const double share = static_cast<double>(documents_) / static_cast<double>(1 + count.documents);
    rules.idf_weights.push_back(static_cast<float>(std::log(1 + share)));
  }
  rules.vocabulary = TokenList<Token>(std::move(tokens));
}

namespace {

template <class Token, class At>
void count_rows(TokenCounts<Token>& counts, const Literal& x, const At& at) {
  const int64_t length = x.rank() == 0 ? 1 : x.shape()[-1];
  std::vector<typename TokenList<Token>::View> row;
  for (int64_t i = 0; i < x.size(); ++i) {
    row.push_back(at(i));
    if (static_cast<int64_t>(row.size()) < length) continue;
    counts.add_document(row);
    row.clear();
  }
}

}  // namespace

void count_tokens(TokenCounts<std::string>& counts, const Literal& x) {
  check_type(x, x.dtype() == DType::string, "strings");
  count_rows(counts, x, [&x](int64_t i) { return x.string_at(i); });
}

void count_tokens(TokenCounts<int64_t>& counts, const Literal& x) {
  check_type(x, is_integer(x.dtype()), "integers");
  count_rows(counts, x, [&x](int64_t i) { return x.integer_at(i); });
}

template void check_rules(const LookupRules<std::string>&);
template void check_rules(const LookupRules<int64_t>&);
template class Lookup<std::string>;
template class Lookup<int64_t>;
template class TokenCounts<std::string>;
template class TokenCounts<int64_t>;

}  // namespace systolic::inline v0
