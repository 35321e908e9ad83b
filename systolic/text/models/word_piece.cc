#include "systolic/text/models/word_piece.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr int32_t none = DoubleArrayTrie::none;

// Tokens of more characters than a word may have match no word; they would only take memory.
DoubleArrayTrie trie_of(const Vocabulary& vocabulary, std::string_view prefix,
                        int64_t most_characters) {
  constexpr int64_t bytes_a_character = 4;
  const int64_t most = std::clamp<int64_t>(most_characters, 0, int64_t{1} << 40);
  std::vector<std::pair<std::string_view, int32_t>> keys;
  const auto& entries = vocabulary.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string_view token = entries[i].first;
    if (token.size() <= prefix.size() || token.substr(0, prefix.size()) != prefix) continue;
    const std::string_view key = token.substr(prefix.size());
    if (static_cast<int64_t>(key.size()) > most * bytes_a_character) continue;
    keys.emplace_back(key, static_cast<int32_t>(i));
  }
  return DoubleArrayTrie(std::move(keys));
}

}  // namespace

WordPiece::WordPiece(Vocabulary vocabulary, Config config)
    : Model(std::move(vocabulary)),
      config_(std::move(config)),
      prefix_size_(static_cast<uint32_t>(config_.continuing_subword_prefix.size())),
      unknown_(vocabulary_.id_of(config_.unk_token)),
      starts_(trie_of(vocabulary_, "", config_.max_input_chars_per_word)),
      insides_(trie_of(vocabulary_, config_.continuing_subword_prefix,
                       config_.max_input_chars_per_word)) {
  for (const auto& [token, id] : vocabulary_.entries()) {
    ids_.push_back(id);
    lengths_.push_back(static_cast<uint32_t>(token.size()));
  }
  build_failures(insides_, true);
  build_failures(starts_, false);
}

std::unique_ptr<WordPiece> WordPiece::from_json(const JsonView& json) {
  Config config;
  config.unk_token = json.at("unk_token").string();
  config.continuing_subword_prefix = json.at("continuing_subword_prefix").string();
  config.max_input_chars_per_word = json.at("max_input_chars_per_word").integer();
  return std::make_unique<WordPiece>(Vocabulary::from_json(json.at("vocab")), config);
}

std::string WordPiece::to_json() const {
  return str(R"({"type":"WordPiece","unk_token":)", json_quoted(config_.unk_token),
             R"(,"continuing_subword_prefix":)", json_quoted(config_.continuing_subword_prefix),
             R"(,"max_input_chars_per_word":)", config_.max_input_chars_per_word, R"(,"vocab":)",
             vocabulary_.to_json(), "}");
}

void WordPiece::build_failures(const DoubleArrayTrie& trie, bool inside) {
  std::vector<Failure>& failures = inside ? inside_failures_ : start_failures_;
  failures.resize(static_cast<size_t>(trie.states()));
  const size_t most = 8 * static_cast<size_t>(trie.states()) + (size_t{1} << 20);
  for (const int32_t state : trie.states_by_depth()) {
    if (state == DoubleArrayTrie::root || !linear_) continue;
    failures[static_cast<size_t>(state)] = failure_of(trie, failures, state);
    linear_ = given_.size() <= most;
  }
}

WordPiece::Failure WordPiece::failure_of(const DoubleArrayTrie& trie,
                                         const std::vector<Failure>& failures, int32_t state) {
  Failure own;
  own.first = static_cast<uint32_t>(given_.size());
  const auto give = [&](const Failure& failure) {
    for (uint32_t i = 0; i < failure.count; ++i) given_.push_back(given_[failure.first + i]);
  };
  if (trie.value(state) != none) {
    given_.push_back(trie.value(state));
    own.next = DoubleArrayTrie::root;
    own.count = 1;
    return own;
  }
  const Failure& before = failures[static_cast<size_t>(trie.parent(state))];
  give(before);
  int32_t at = before.next;
  const unsigned char byte = trie.byte_to(state);
  while (at != none && insides_.next(at, byte) == none) {
    const Failure failure = inside_failures_[static_cast<size_t>(at)];
    give(failure);
    at = failure.next;
  }
  if (at == none) {
    given_.resize(own.first);
    return Failure();
  }
  own.next = insides_.next(at, byte);
  own.count = static_cast<uint32_t>(given_.size()) - own.first;
  return own;
}

size_t WordPiece::split(std::string_view word, int32_t* entries) const {
  return linear_ ? split_by_failures(word, entries) : split_greedily(word, entries);
}

size_t WordPiece::split_by_failures(std::string_view word, int32_t* entries) const {
  const DoubleArrayTrie* trie = &starts_;
  const Failure* failures = start_failures_.data();
  int32_t state = DoubleArrayTrie::root;
  size_t count = 0;
  const auto fail = [&] {
    const Failure& failure = failures[state];
    if (failure.next == none) return false;
    for (uint32_t i = 0; i < failure.count; ++i) entries[count++] = given_[failure.first + i];
    state = failure.next;
    trie = &insides_;
    failures = inside_failures_.data();
    return true;
  };
  for (const char c : word) {
    int32_t next;
    while ((next = trie->next(state, static_cast<unsigned char>(c))) == none) {
      if (!fail()) return 0;
    }
    state = next;
  }
  while (trie == &starts_ || state != DoubleArrayTrie::root) {
    if (!fail()) return 0;
  }
  return count;
}

size_t WordPiece::split_greedily(std::string_view word, int32_t* entries) const {
  size_t count = 0;
  for (size_t begin = 0; begin < word.size();) {
    const auto match = (begin == 0 ? starts_ : insides_).longest(word, begin);
    if (match.value == none) return 0;
    entries[count++] = match.value;
    begin = match.end;
  }
  return count;
}

bool WordPiece::too_long(std::string_view word) const {
  return static_cast<int64_t>(word.size()) > config_.max_input_chars_per_word &&
         static_cast<int64_t>(count_characters(word)) > config_.max_input_chars_per_word;
}

int32_t WordPiece::unknown_id() const {
  if (!unknown_) {
    raise<InvalidArgument>(
        {.what = str("the vocabulary has no unknown token '", config_.unk_token, "'"),
         .hint = "set unk_token to a token of the vocabulary"});
  }
  return *unknown_;
}

void WordPiece::tokenize(std::string_view word, std::vector<Token>& tokens) const {
  static thread_local std::vector<int32_t> entries;
  const size_t count = [&]() -> size_t {
    if (too_long(word)) return 0;
    if (entries.size() < word.size()) entries.resize(word.size());
    return split(word, entries.data());
  }();
  if (count == 0 && !word.empty()) {
    tokens.push_back({unknown_id(), {0, static_cast<uint32_t>(word.size())}});
    return;
  }
  uint32_t begin = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t size = i == 0 ? length_at_start(entries[i]) : length_inside(entries[i]);
    tokens.push_back({id_of_entry(entries[i]), {begin, begin + size}});
    begin += size;
  }
}

}  // namespace text
}  // namespace systolic::inline v0
