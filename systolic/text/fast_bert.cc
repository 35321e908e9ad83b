#include "systolic/text/fast_bert.h"

#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {

FastBert::FastBert(const BertNormalizer& normalizer, const WordPiece& model,
                   const AddedTokens& added)
    : model_(model), added_(added), lowercase_(normalizer.lowercase) {
  kinds_.fill(removed);
  for (char32_t c = 0; c < 128; ++c) {
    const bool gone = normalizer.clean_text && has(c, bert_removed);
    kinds_[c] = gone ? removed : has(c, whitespace) ? space : has(c, punctuation) ? sign : in_word;
  }
}

// False where the text is not ASCII or characters go.
bool FastBert::normalize(std::string_view text, std::string& lower) const {
  const size_t size = text.size();
  if (lower.size() < size + 1) lower.resize(2 * size + 64);
  char* to = lower.data();
  const char* from = text.data();
  unsigned char high = 0;
  for (size_t i = 0; i < size; ++i) {
    const auto c = static_cast<unsigned char>(from[i]);
    high |= c;
    const bool capital = lowercase_ && static_cast<unsigned char>(c - 'A') < 26;
    to[i] = static_cast<char>(c | (capital ? 0x20 : 0));
  }
  to[size] = ' ';
  return high < 0x80;
}

void FastBert::add_word(std::string_view word, uint32_t begin, int32_t number,
                        std::vector<FastToken>& tokens) const {
  const auto end = begin + static_cast<uint32_t>(word.size());
  static thread_local std::vector<int32_t> entries;
  if (entries.size() < word.size()) entries.resize(2 * word.size() + 256);
  const size_t count = model_.too_long(word) ? 0 : model_.split(word, entries.data());
  if (count == 0) {
    tokens.push_back({model_.unknown_id(), begin, end, number});
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const int32_t entry = entries[i];
    const uint32_t size = i == 0 ? model_.length_at_start(entry) : model_.length_inside(entry);
    tokens.push_back({model_.id_of_entry(entry), begin, begin + size, number});
    begin += size;
  }
}

bool FastBert::run(std::string_view text, bool, std::vector<FastToken>& tokens) const {
  static thread_local std::string lower;
  if (!normalize(text, lower)) return false;
  const std::string_view normal(lower.data(), text.size());
  if (added_.may_be_in(text) || (added_.any_normalized() && added_.may_be_in(normal))) return false;
  const size_t before = tokens.size();
  const char* const bytes = lower.data();
  const auto kind_at = [&](size_t at) { return kinds_[static_cast<unsigned char>(bytes[at])]; };
  int32_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const Kind kind = kind_at(at);
    if (kind == space) {
      ++at;
      continue;
    }
    if (kind == removed) {
      tokens.resize(before);
      return false;
    }
    size_t end = at + 1;
    if (kind == in_word) {
      while (kind_at(end) == in_word) ++end;
    }
    add_word(normal.substr(at, end - at), static_cast<uint32_t>(at), number++, tokens);
    at = end;
  }
  return true;
}

}  // namespace text
}  // namespace systolic::inline v0
