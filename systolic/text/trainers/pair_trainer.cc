#include "systolic/text/trainers/pair_trainer.h"

#include <algorithm>
#include <limits>

#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr uint64_t always = std::numeric_limits<uint64_t>::max();

std::string one(char32_t c) { return to_utf8(std::u32string(1, c)); }

}  // namespace

PairTrainer::PairTrainer(const PieceCounts& pieces, const TrainOptions& options, std::string prefix)
    : options_(options), prefix_(std::move(prefix)) {
  for (const AddedToken& token : options.special_tokens) add(token.content);
  add_alphabet(pieces);
  add_words(pieces);
}

int32_t PairTrainer::add(const std::string& token) {
  const auto [place, added] = ids_.emplace(token, static_cast<int32_t>(tokens_.size()));
  if (added) tokens_.push_back(token);
  return place->second;
}

void PairTrainer::add_alphabet(const PieceCounts& pieces) {
  std::map<char32_t, uint64_t> counts;
  for (const auto& [piece, count] : pieces) {
    for_each_character(piece,
                       [&, times = count](char32_t c, size_t, size_t) { counts[c] += times; });
  }
  for (const char32_t c : options_.initial_alphabet) counts[c] = always;
  std::vector<std::pair<uint64_t, char32_t>> kept;
  for (const auto& [c, count] : counts) kept.emplace_back(count, c);
  if (options_.limit_alphabet != 0 && kept.size() > options_.limit_alphabet) {
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    kept.resize(options_.limit_alphabet);
  }
  std::sort(kept.begin(), kept.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (const auto& [count, c] : kept) add(one(c));
}

void PairTrainer::add_words(const PieceCounts& pieces) {
  Places places;
  for (const auto& [piece, times] : pieces) {
    Word word{{}, times};
    for_each_character(piece, [&, &text = piece](char32_t c, size_t begin, size_t size) {
      if (ids_.count(one(c)) == 0) return;
      std::string token = begin > 0 ? prefix_ + one(c) : one(c);
      if (begin + size == text.size()) token += options_.end_of_word_suffix;
      word.symbols.push_back({add(token), 1});
    });
    words_.push_back(std::move(word));
    const auto number = static_cast<uint32_t>(words_.size() - 1);
    const auto& symbols = words_.back().symbols;
    for (size_t i = 0; i + 1 < symbols.size(); ++i) {
      count({symbols[i].id, symbols[i + 1].id}, static_cast<int64_t>(times), number, places);
    }
  }
  queue(std::move(places));
}

void PairTrainer::count(const Pair& pair, int64_t change, uint32_t word, Places& places) {
  counts_[pair] += change;
  if (change <= 0) return;
  auto& words = places[pair];
  if (words.empty() || words.back() != word) words.push_back(word);
}

void PairTrainer::queue(Places places) {
  for (auto& [pair, words] : places) {
    const int64_t count = counts_[pair];
    if (count > 0) queue_.push({count, pair, std::move(words)});
  }
}

void PairTrainer::merge_in(uint32_t number, const Pair& pair, int32_t merged, Places& places) {
  Word& word = words_[number];
  const auto times = static_cast<int64_t>(word.count);
  const uint64_t longest = options_.max_token_length == 0 ? always : options_.max_token_length;
  std::vector<Symbol> result;
  const auto& old = word.symbols;
  for (size_t i = 0; i < old.size(); ++i) {
    if (i + 1 == old.size() || Pair(old[i].id, old[i + 1].id) != pair) {
      result.push_back(old[i]);
      continue;
    }
    const Symbol whole{merged, old[i].length + old[i + 1].length};
    if (!result.empty()) {
      const Symbol& before = result.back();
      count({before.id, pair.first}, -times, number, places);
      if (before.length + whole.length < longest) {
        count({before.id, merged}, times, number, places);
      }
    }
    if (i + 2 < old.size()) {
      const Symbol& after = old[i + 2];
      count({pair.second, after.id}, -times, number, places);
      if (after.length + whole.length < longest) {
        count({merged, after.id}, times, number, places);
      }
    }
    result.push_back(whole);
    ++i;
  }
  word.symbols = std::move(result);
}

void PairTrainer::run() {
  while (tokens_.size() < options_.vocab_size && !queue_.empty()) {
    Candidate top = queue_.top();
    queue_.pop();
    if (top.count != counts_[top.pair]) {
      top.count = counts_[top.pair];
      queue_.push(std::move(top));
      continue;
    }
    if (top.count < 1 || static_cast<uint64_t>(top.count) < options_.min_frequency) break;
    const std::string& left = tokens_[static_cast<size_t>(top.pair.first)];
    std::string_view right = tokens_[static_cast<size_t>(top.pair.second)];
    if (right.starts_with(prefix_)) right.remove_prefix(prefix_.size());
    const int32_t merged = add(left + std::string(right));
    merges_.push_back(top.pair);
    Places places;
    for (const uint32_t word : top.words) merge_in(word, top.pair, merged, places);
    queue(std::move(places));
  }
}

Vocabulary PairTrainer::vocabulary() const {
  std::vector<std::pair<std::string, int32_t>> entries;
  for (const std::string& token : tokens_) {
    entries.emplace_back(token, static_cast<int32_t>(entries.size()));
  }
  return Vocabulary(std::move(entries));
}

std::vector<std::pair<std::string, std::string>> PairTrainer::merges() const {
  std::vector<std::pair<std::string, std::string>> merges;
  for (const auto& [left, right] : merges_) {
    merges.emplace_back(tokens_[static_cast<size_t>(left)], tokens_[static_cast<size_t>(right)]);
  }
  return merges;
}

}  // namespace text
}  // namespace systolic::inline v0
