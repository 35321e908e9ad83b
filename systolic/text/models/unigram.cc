#include "systolic/text/models/unigram.h"

#include <algorithm>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/text/models/stored_score.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// A character that no token begins with costs this much more than the least likely token.
constexpr double unknown_penalty = 10.0;
// How many bytes each place of a text looks ahead at most.
constexpr size_t most_bytes = 4096;

Vocabulary vocabulary_of(const Unigram::Scored& tokens) {
  std::vector<std::pair<std::string, int32_t>> entries;
  for (const auto& [token, score] : tokens) {
    if (token.size() > most_bytes) {
      raise<DataLoss>({.what = str("a token of ", token.size(), " bytes"),
                       .wanted = str("at most ", most_bytes)});
    }
    entries.emplace_back(token, static_cast<int32_t>(entries.size()));
  }
  return Vocabulary(std::move(entries));
}

DoubleArrayTrie trie_of(const Vocabulary& vocabulary) {
  std::vector<std::pair<std::string_view, int32_t>> keys;
  for (const auto& [token, id] : vocabulary.entries()) {
    if (!token.empty()) keys.emplace_back(token, id);
  }
  return DoubleArrayTrie(std::move(keys));
}

std::vector<double> scores_of(const Unigram::Scored& tokens, bool from_file) {
  std::vector<double> scores;
  scores.reserve(tokens.size());
  for (const auto& [token, score] : tokens)
    scores.push_back(from_file ? stored_score(score) : score);
  return scores;
}

double least_of(const std::vector<double>& scores) {
  double least = std::numeric_limits<double>::infinity();
  for (const double score : scores) least = std::min(least, score);
  return least;
}

}  // namespace

Unigram::Unigram(Scored tokens, std::optional<int32_t> unk_id, bool byte_fallback, bool from_file)
    : Model(vocabulary_of(tokens)),
      tokens_(std::move(tokens)),
      scores_(scores_of(tokens_, from_file)),
      unknown_(unk_id),
      byte_fallback_(byte_fallback),
      unknown_score_(least_of(scores_) - unknown_penalty),
      trie_(trie_of(vocabulary_)) {
  if (unknown_ && static_cast<size_t>(*unknown_) >= tokens_.size()) {
    raise<DataLoss>({.what = str("unk_id ", *unknown_, " in a vocabulary of ", tokens_.size())});
  }
}

std::unique_ptr<Unigram> Unigram::from_json(const JsonView& json) {
  Scored tokens;
  const JsonView list = json.at("vocab");
  for (size_t i = 0; i < list.size(); ++i) {
    const JsonView pair = list[i];
    if (pair.size() != 2) pair.raise_not("a token and its score");
    tokens.emplace_back(pair[0].string(), pair[1].number());
  }
  std::optional<int32_t> unknown;
  if (json.has("unk_id")) unknown = json.at("unk_id").id();
  return std::make_unique<Unigram>(std::move(tokens), unknown,
                                   json.boolean_or("byte_fallback", false), true);
}

std::string Unigram::to_json() const {
  std::string list = "[";
  for (const auto& [token, score] : tokens_) {
    if (list.size() > 1) list += ",";
    // JSON without a point is an integer, which has no -0.
    list += str("[", json_quoted(token), ",", score + 0.0, "]");
  }
  return str(R"({"type":"Unigram","unk_id":)", unknown_ ? str(*unknown_) : "null", R"(,"vocab":)",
             list, R"(],"byte_fallback":)", byte_fallback_ ? "true" : "false", "}");
}

int32_t Unigram::unknown_id() const {
  if (!unknown_) {
    raise<InvalidArgument>({.what = "a text that the vocabulary cannot express, and no unk_id",
                            .hint = "give the model an unknown token"});
  }
  return *unknown_;
}

void Unigram::find_best(std::string_view piece, std::vector<Step>& steps) const {
  steps.assign(piece.size() + 1, Step());
  const auto offer = [&](size_t end, double score, size_t begin, int32_t id) {
    Step& step = steps[end];
    if (step.begin < 0 || score > step.score) step = {score, static_cast<int64_t>(begin), id};
  };
  for (size_t begin = 0; begin < piece.size();) {
    const double before = steps[begin].score;
    const size_t width = utf8_size(static_cast<unsigned char>(piece[begin]));
    bool single = false;
    int32_t state = DoubleArrayTrie::root;
    for (size_t at = begin; at < piece.size(); ++at) {
      state = trie_.next(state, static_cast<unsigned char>(piece[at]));
      if (state == DoubleArrayTrie::none) break;
      const int32_t id = trie_.value(state);
      if (id == DoubleArrayTrie::none) continue;
      offer(at + 1, before + scores_[static_cast<size_t>(id)], begin, id);
      single |= at + 1 == begin + width;
    }
    if (!single) offer(begin + width, before + unknown_score_, begin, unknown_id());
    begin += width;
  }
}

void Unigram::add_unknown(std::string_view piece, Range range, std::vector<Token>& tokens) const {
  const std::string_view text = piece.substr(range.begin, range.end - range.begin);
  if (const auto id = vocabulary_.id_of(text)) {
    tokens.push_back({*id, range});
    return;
  }
  const size_t before = tokens.size();
  for (size_t i = 0; byte_fallback_ && i < text.size(); ++i) {
    constexpr char digits[] = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto id = vocabulary_.id_of(str("<0x", digits[byte / 16], digits[byte % 16], ">"));
    if (!id) {
      tokens.resize(before);
      break;
    }
    tokens.push_back({*id, range});
  }
  if (tokens.size() == before) tokens.push_back({unknown_id(), range, std::string(text)});
}

void Unigram::tokenize(std::string_view piece, std::vector<Token>& tokens) const {
  static thread_local std::vector<Step> steps;
  static thread_local std::vector<std::pair<Range, bool>> found;  // whether it is unknown
  if (piece.empty()) return;
  find_best(piece, steps);
  found.clear();
  for (size_t end = piece.size(); end > 0;) {
    const Step& step = steps[end];
    const bool unknown = unknown_ && step.id == *unknown_;
    const auto begin = static_cast<uint32_t>(step.begin);
    if (unknown && !found.empty() && found.back().second) {
      found.back().first.begin = begin;  // consecutive unknown ones are one
    } else {
      found.push_back({{begin, static_cast<uint32_t>(end)}, unknown});
    }
    end = static_cast<size_t>(step.begin);
  }
  for (auto one = found.rbegin(); one != found.rend(); ++one) {
    const auto& [range, unknown] = *one;
    if (unknown) {
      add_unknown(piece, range, tokens);
    } else {
      tokens.push_back({steps[range.end].id, range});
    }
  }
}

}  // namespace text
}  // namespace systolic::inline v0
