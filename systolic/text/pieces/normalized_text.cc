#include "systolic/text/pieces/normalized_text.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {

NormalizedText::NormalizedText(std::string_view original)
    : text_(original), original_size_(static_cast<uint32_t>(original.size())) {
  origin_.reserve(original.size());
  for_each_character(original, [&](char32_t, size_t begin, size_t size) {
    const Range range{static_cast<uint32_t>(begin), static_cast<uint32_t>(begin + size)};
    origin_.insert(origin_.end(), size, range);
  });
}

Range NormalizedText::original_range(Range range) const {
  if (range.begin == range.end) {
    return {range.begin + original_begin_, range.end + original_begin_};
  }
  // A suffix's tokens that the text lacks lie after it: the package counts them from its start.
  if (range.begin > range.end || range.end > origin_.size()) return range;
  return {origin_[range.begin].begin, origin_[range.end - 1].end};
}

Range NormalizedText::whole() const {
  if (original_size_ == 0) return {0, 0};
  uint32_t first = 0;
  while (first < size() && origin_[first].begin == origin_[first].end) ++first;
  return {first, size()};
}

void NormalizedText::check_growth(size_t size) const {
  // No form of Unicode makes a character more than 33 bytes; one long replacement is fine too.
  const size_t most = 64 * size_t{original_size_} + (size_t{1} << 24);
  if (size <= most) return;
  raise<ResourceExhausted>(
      {.what = str("normalization makes ", size, " bytes out of ", original_size_),
       .wanted = str("at most ", most),
       .hint = "look for replacements that contain what they replace"});
}

void NormalizedText::transform(const Changes& changes, uint32_t removed) {
  if (text_.empty() && original_size_ != 0) return;
  transform_range(whole(), changes, removed);
}

void NormalizedText::transform_front(uint32_t first_size, const Changes& changes) {
  transform_range({0, first_size}, changes, 0);
}

void NormalizedText::transform_range(Range range, const Changes& changes, uint32_t removed) {
  uint32_t old = range.begin;  // the next character of the old text
  const auto skip = [&](uint64_t characters) {
    for (; characters > 0 && old < range.end; --characters) {
      old += static_cast<uint32_t>(utf8_size(static_cast<unsigned char>(text_[old])));
    }
  };
  skip(removed);
  std::string text;
  std::vector<Range> origin;
  text.reserve(range.end - range.begin);
  origin.reserve(range.end - range.begin);
  const Range nowhere{original_begin_, original_begin_};
  check_growth(changes.size());
  for (const auto& [c, change] : changes) {
    Range from = nowhere;
    if (change > 0) {
      if (old > 0) from = origin_[old - 1];
    } else {
      if (old < origin_.size()) from = origin_[old];
      skip(1 + static_cast<uint64_t>(-change));
    }
    append_utf8(text, c);
    origin.insert(origin.end(), text.size() - origin.size(), from);
  }
  if (range.begin == 0 && range.end == size()) {
    text_ = std::move(text);
    origin_ = std::move(origin);
    return;
  }
  text_.replace(range.begin, range.end - range.begin, text);
  origin_.erase(origin_.begin() + range.begin, origin_.begin() + range.end);
  origin_.insert(origin_.begin() + range.begin, origin.begin(), origin.end());
}

void NormalizedText::prepend(std::string_view prefix) {
  if (text_.empty()) return;
  Changes changes;
  for_each_character(prefix, [&](char32_t c, size_t begin, size_t) {
    changes.push_back({c, begin == 0 ? 0 : 1});
  });
  changes.push_back({character_at(text_, 0), 1});
  transform_front(static_cast<uint32_t>(utf8_size(static_cast<unsigned char>(text_[0]))), changes);
}

void NormalizedText::lower_case() {
  Changes changes;
  changes.reserve(text_.size());
  for_each_character(text_, [&](char32_t c, size_t, size_t) {
    int64_t change = 0;
    lower_case_of(c, [&](char32_t part) {
      changes.push_back({part, change});
      change = 1;
    });
  });
  transform(changes);
}

void NormalizedText::strip(bool left, bool right) {
  const std::u32string characters = to_characters(text_);
  size_t leading = 0, trailing = 0;
  while (left && leading < characters.size() && has(characters[leading], whitespace)) ++leading;
  while (right && trailing < characters.size() &&
         has(characters[characters.size() - 1 - trailing], whitespace)) {
    ++trailing;
  }
  if (leading == 0 && trailing == 0) return;
  Changes changes;
  for (size_t i = leading; i + trailing < characters.size(); ++i) {
    changes.push_back({characters[i], 0});
  }
  transform(changes, static_cast<uint32_t>(leading));
}

void NormalizedText::replace(const std::vector<Range>& matches, std::string_view content) {
  if (matches.empty()) return;
  std::string text;
  std::vector<Range> origin;
  uint32_t last = 0;
  check_growth(text_.size() + matches.size() * content.size());
  for (const Range& match : matches) {
    text.append(text_, last, match.begin - last);
    origin.insert(origin.end(), origin_.begin() + last, origin_.begin() + match.begin);
    const Range from =
        match.end > 0 ? origin_[match.end - 1] : Range{original_begin_, original_begin_};
    text += content;
    origin.insert(origin.end(), content.size(), from);
    last = match.end;
  }
  text.append(text_, last);
  origin.insert(origin.end(), origin_.begin() + last, origin_.end());
  text_ = std::move(text);
  origin_ = std::move(origin);
}

void NormalizedText::crop_original() {
  if (text_.empty()) return;
  original_begin_ = origin_.front().begin;
  original_size_ = origin_.back().end - original_begin_;
}

NormalizedText NormalizedText::slice(Range range) const {
  NormalizedText part;
  const Range original = original_range(range);
  part.text_ = text_.substr(range.begin, range.end - range.begin);
  part.origin_.assign(origin_.begin() + range.begin, origin_.begin() + range.end);
  part.original_begin_ = original.begin;
  part.original_size_ = original.end - original.begin;
  return part;
}

}  // namespace text
}  // namespace systolic::inline v0
