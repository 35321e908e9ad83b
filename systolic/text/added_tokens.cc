#include "systolic/text/added_tokens.h"

#include <algorithm>
#include <limits>

#include "systolic/base/error.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

// The index over all tokens takes some 40 bytes for each of their bytes.
constexpr size_t most_bytes = 4096;

std::string normal_form(const std::string& content, const Normalizer* normalizer) {
  if (normalizer == nullptr) return content;
  NormalizedText text(content);
  normalizer->normalize(text);
  return text.get();
}

// What surrounds tokens in a text. Asked for from left to right.
class Surroundings {
 public:
  explicit Surroundings(const std::string& text) : text_(text) {}

  // Whether the token found at `range` may stand there. Widens the range by whitespace that it
  // takes, but not to before `last`.
  bool allow(const AddedToken& token, uint32_t last, Range& range) {
    if (token.single_word && (is_before(range.begin, word) || is_after(range.end, word))) {
      return false;
    }
    if (token.lstrip) {
      size_t begin = range.begin;
      while (begin > last && is_before(begin, whitespace)) character_before(text_, begin);
      range.begin = std::max(static_cast<uint32_t>(begin), last);
    }
    if (token.rstrip) range.end = end_of_spaces(range.end);
    range.begin = std::min(range.begin, range.end);  // where another token took all of it
    return true;
  }

 private:
  bool is_before(size_t at, uint32_t property) const {
    return at > 0 && has(character_before(text_, at), property);
  }
  bool is_after(size_t at, uint32_t property) const {
    return at < text_.size() && has(character_at(text_, at), property);
  }
  // Looks at spaces once, though they may be tokens, each of which takes those after it.
  uint32_t end_of_spaces(uint32_t begin) {
    if (begin >= spaces_.begin && begin < spaces_.end) return spaces_.end;
    spaces_ = {begin, begin};
    while (is_after(spaces_.end, whitespace)) {
      const auto first = static_cast<unsigned char>(text_[spaces_.end]);
      spaces_.end += static_cast<uint32_t>(utf8_size(first));
    }
    return spaces_.end;
  }

  const std::string& text_;
  Range spaces_;  // the last that were looked at
};

}  // namespace

// Before the first of them is added.
void AddedTokens::check_addable(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary,
                                int64_t next_id) const {
  constexpr int64_t most_id = std::numeric_limits<int32_t>::max();
  for (const AddedToken& token : tokens) {
    if (token.content.size() > most_bytes) {
      raise<InvalidArgument>({.what = str("an added token of ", token.content.size(), " bytes"),
                              .wanted = str("at most ", most_bytes),
                              .hint = "a part of a text as long as this is no token"});
    }
    const bool is_new =
        !token.content.empty() && !id_of(token.content) && !vocabulary.id_of(token.content);
    if (!is_new || next_id++ <= most_id) continue;
    raise<InvalidArgument>({.what = str("no id is left for the added token '", token.content, "'"),
                            .wanted = str("one of at most ", most_id),
                            .hint = "give the existing tokens smaller ids"});
  }
}

size_t AddedTokens::add(const std::vector<AddedToken>& tokens, const Vocabulary& vocabulary,
                        const Normalizer* normalizer) {
  const auto model_size = static_cast<int32_t>(vocabulary.size());
  int64_t next_id = model_size;
  if (!by_id_.empty()) {
    const int32_t last = by_id_.rbegin()->first;
    if (last >= model_size || model_size == 0) next_id = int64_t{last} + 1;
  }
  check_addable(tokens, vocabulary, next_id);
  size_t added = 0;
  for (const AddedToken& token : tokens) {
    if (token.content.empty()) continue;
    auto id = id_of(token.content);
    if (id) {
      const auto known = by_id_.find(*id);
      if (known != by_id_.end() && known->second == token) continue;
    } else {
      id = vocabulary.id_of(token.content);
    }
    if (!id) id = static_cast<int32_t>(next_id++);
    ids_[token.content] = *id;
    if (token.special) special_.insert(token.content);
    by_id_[*id] = token;
    ++added;
  }
  refresh(normalizer);
  return added;
}

void AddedTokens::refresh(const Normalizer* normalizer) {
  normal_forms_.clear();
  for (const auto& [id, token] : by_id_) {
    if (!token.is_normalized()) continue;
    std::string form = normal_form(token.content, normalizer);
    if (form != token.content) normal_forms_[id] = std::move(form);
  }
  make_finders();
}

void AddedTokens::make_finders() {
  std::vector<std::pair<std::string_view, int32_t>> original, normalized;
  for (const auto& [id, token] : by_id_) {
    const auto form = normal_forms_.find(id);
    const std::string& text = form == normal_forms_.end() ? token.content : form->second;
    if (!text.empty()) (token.is_normalized() ? normalized : original).emplace_back(text, id);
  }
  original_ = AhoCorasick(original);
  normalized_ = AhoCorasick(normalized);
}

std::optional<int32_t> AddedTokens::id_of(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* AddedTokens::text_of(int32_t id) const {
  if (const auto form = normal_forms_.find(id); form != normal_forms_.end()) return &form->second;
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second.content;
}

bool AddedTokens::is_special(std::string_view content) const {
  return special_.count(std::string(content)) != 0;
}

std::string AddedTokens::to_json() const {
  std::string json = "[";
  for (const auto& [id, token] : by_id_) {
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    if (json.size() > 1) json += ",";
    json += str(R"({"id":)", id, R"(,"content":)", json_quoted(token.content), R"(,"single_word":)",
                flag(token.single_word), R"(,"lstrip":)", flag(token.lstrip), R"(,"rstrip":)",
                flag(token.rstrip), R"(,"normalized":)", flag(token.is_normalized()),
                R"(,"special":)", flag(token.special), "}");
  }
  return json + "]";
}

bool AddedTokens::may_be_in(std::string_view text) const {
  return original_.any_in(text) || normalized_.any_in(text);
}

std::vector<AddedTokens::Found> AddedTokens::find(const std::string& text,
                                                  const AhoCorasick& finder) const {
  std::vector<Found> found;
  Surroundings surroundings(text);
  uint32_t last = 0;
  for (const auto& [match, id] : finder.find_all(text)) {
    Range range = match;
    if (!surroundings.allow(by_id_.at(id), last, range)) continue;
    if (last < range.begin) found.push_back({-1, {last, range.begin}});
    found.push_back({id, range});
    last = range.end;
  }
  if (last < text.size()) found.push_back({-1, {last, static_cast<uint32_t>(text.size())}});
  return found;
}

void AddedTokens::cut(Pieces& pieces, const AhoCorasick& finder,
                      const Normalizer* normalizer) const {
  Pieces result;
  for (Piece& piece : pieces) {
    if (piece.tokenized) {
      result.push_back(std::move(piece));
      continue;
    }
    if (normalizer != nullptr) normalizer->normalize(piece.text);
    const auto found = find(piece.text.get(), finder);
    if (found.size() == 1 && found[0].id < 0) {
      piece.text.crop_original();
      result.push_back(std::move(piece));
      continue;
    }
    for (const auto& [id, range] : found) {
      NormalizedText text = piece.text.slice(range);
      if (text.empty()) continue;
      Piece part{std::move(text)};
      if (id >= 0) {
        part.tokens.push_back({id, {0, part.text.size()}, part.text.get()});
        part.tokenized = true;
      }
      result.push_back(std::move(part));
    }
  }
  pieces = std::move(result);
}

Pieces AddedTokens::pieces_of(std::string_view original, const Normalizer* normalizer) const {
  Pieces pieces;
  if (original.empty()) return pieces;
  pieces.push_back({NormalizedText(original)});
  cut(pieces, original_, nullptr);
  cut(pieces, normalized_, normalizer);
  return pieces;
}

}  // namespace text
}  // namespace systolic::inline v0
