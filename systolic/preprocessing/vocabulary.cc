#include "systolic/preprocessing/vocabulary.h"

#include <charconv>
#include <functional>
#include <unordered_map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace {

void read_token(std::string_view line, size_t, std::string& token) { token = line; }

void read_token(std::string_view line, size_t number, int64_t& token) {
  const auto read = std::from_chars(line.data(), line.data() + line.size(), token);
  if (read.ec != std::errc() || read.ptr != line.data() + line.size()) {
    raise<InvalidArgument>({.what = str("line ", number, " of the vocabulary is '", line, "'"),
                            .wanted = "an integer a line"});
  }
}

template <class Token>
std::vector<Token> tokens_of_lines(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::vector<Token> tokens;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    read_token(line, number, tokens.emplace_back());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return tokens;
}

}  // namespace

template <class Token>
struct TokenList<Token>::Table {
  explicit Table(std::vector<Token> given) : tokens(std::move(given)) {
    places.reserve(tokens.size());
    for (size_t i = 0; i < tokens.size(); ++i) {
      const auto [entry, is_new] = places.try_emplace(tokens[i], static_cast<int64_t>(i));
      if (is_new) continue;
      repeated.push_back(entry->second);
      entry->second = static_cast<int64_t>(i);
    }
  }
  std::vector<Token> tokens;
  std::unordered_map<View, int64_t> places;  // views of `tokens`
  std::vector<int64_t> repeated;             // places of tokens that come again later
};

template <class Token>
TokenList<Token>::TokenList(std::vector<Token> tokens) {
  if (!tokens.empty()) table_ = std::make_shared<const Table>(std::move(tokens));
}

template <class Token>
TokenList<Token>::TokenList(const std::string& path, SourceLocation location)
    : TokenList([&] {
        const ErrorScope scope(path, location);
        return tokens_of_lines<Token>(io::read_file(path, location));
      }()) {}

template <class Token>
const std::vector<Token>& TokenList<Token>::tokens() const {
  static const std::vector<Token> none;
  return table_ == nullptr ? none : table_->tokens;
}

template <class Token>
int64_t TokenList<Token>::find(View token) const {
  if (table_ == nullptr) return -1;
  const auto found = table_->places.find(token);
  return found == table_->places.end() ? -1 : found->second;
}

template <class Token>
const Token* TokenList<Token>::repeated_from(int64_t begin) const {
  if (table_ == nullptr) return nullptr;
  for (const int64_t place : table_->repeated) {
    if (place >= begin) return &table_->tokens[static_cast<size_t>(place)];
  }
  return nullptr;
}

template class TokenList<std::string>;
template class TokenList<int64_t>;

}  // namespace systolic::inline v0
