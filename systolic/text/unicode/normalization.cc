#include "systolic/text/unicode/normalization.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <unordered_map>

#include "systolic/text/unicode/properties.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

#include "systolic/text/unicode/normalization.inc"

// Hangul syllables are computed (The Unicode Standard, section 3.12).
constexpr uint32_t hangul_first = 0xAC00, hangul_count = 11172;
constexpr uint32_t leading_first = 0x1100, leading_count = 19;
constexpr uint32_t vowel_first = 0x1161, vowel_count = 21;
constexpr uint32_t trailing_first = 0x11A7, trailing_count = 28;

constexpr uint32_t decomposed_end = 0x30000;

// Where the parts of each character stand in the list of forms; 0 for one that is its own form.
std::vector<uint16_t> make_index(const uint32_t* forms, size_t size) {
  std::vector<uint16_t> index(decomposed_end, 0);
  for (size_t i = 0; i < size; i += 2 + forms[i + 1]) {
    index[forms[i]] = static_cast<uint16_t>(i + 1);
  }
  return index;
}

template <class F>
void decompose(char32_t c, bool compatible, F&& f) {
  static const auto canonical_index = make_index(canonical_forms, std::size(canonical_forms));
  static const auto compatible_index = make_index(compatible_forms, std::size(compatible_forms));
  if (c < 0x80 || c >= decomposed_end) return f(c);
  if (c - hangul_first < hangul_count) {
    const uint32_t syllable = c - hangul_first;
    f(leading_first + syllable / (vowel_count * trailing_count));
    f(vowel_first + syllable % (vowel_count * trailing_count) / trailing_count);
    if (syllable % trailing_count != 0) f(trailing_first + syllable % trailing_count);
    return;
  }
  const uint32_t* form = nullptr;
  if (compatible && compatible_index[c] != 0) form = compatible_forms + compatible_index[c];
  if (form == nullptr && canonical_index[c] != 0) form = canonical_forms + canonical_index[c];
  if (form == nullptr) return f(c);
  for (uint32_t i = 1; i <= form[0]; ++i) f(static_cast<char32_t>(form[i]));
}

char32_t compose(char32_t first, char32_t second) {
  if (first - leading_first < leading_count && second - vowel_first < vowel_count) {
    return hangul_first +
           ((first - leading_first) * vowel_count + second - vowel_first) * trailing_count;
  }
  if (first - hangul_first < hangul_count && (first - hangul_first) % trailing_count == 0 &&
      second - trailing_first - 1 < trailing_count - 1) {
    return first + (second - trailing_first);
  }
  static const auto pairs = [] {
    std::unordered_map<uint64_t, char32_t> map;
    for (size_t i = 0; i + 2 < std::size(composed_pairs); i += 3) {
      map.emplace(uint64_t{composed_pairs[i]} << 32 | composed_pairs[i + 1], composed_pairs[i + 2]);
    }
    return map;
  }();
  const auto found = pairs.find(uint64_t{first} << 32 | second);
  return found == pairs.end() ? 0 : found->second;
}

Changes decomposed(std::string_view text, bool compatible) {
  Changes changes;
  changes.reserve(text.size());
  size_t pending = 0;  // where the marks that are still to be sorted begin
  const auto sort_marks = [&] {
    std::stable_sort(changes.begin() + static_cast<int64_t>(pending), changes.end(),
                     [](const Change& a, const Change& b) {
                       return combining_class(a.character) < combining_class(b.character);
                     });
  };
  for_each_character(text, [&](char32_t c, size_t, size_t) {
    int64_t change = 0;
    decompose(c, compatible, [&](char32_t part) {
      if (combining_class(part) == 0) {
        if (changes.size() - pending > 1) sort_marks();
        pending = changes.size();
      }
      changes.push_back({part, change});
      change = 1;
    });
  });
  sort_marks();
  return changes;
}

// Composes a decomposed text in place, a starter and the marks after it at a time.
Changes composed(const Changes& parts) {
  Changes result;
  result.reserve(parts.size());
  size_t starter = parts.size();  // where in `result` the last starter is; parts.size(): none yet
  int last_class = -1;            // of the mark before that did not compose; -1: there is none
  for (const Change& part : parts) {
    const int own_class = combining_class(part.character);
    if (starter == parts.size()) {
      if (own_class == 0) starter = result.size();
      result.push_back(part);
      continue;
    }
    if (last_class < own_class) {  // nothing between blocks the two
      if (const char32_t whole = compose(result[starter].character, part.character)) {
        result[starter] = {whole, result[starter].change + part.change - 1};
        continue;
      }
    }
    if (own_class == 0) {
      starter = result.size();
      last_class = -1;
    } else {
      last_class = own_class;
    }
    result.push_back(part);
  }
  return result;
}

}  // namespace

Changes normalization_changes(std::string_view text, NormalizationForm form) {
  const bool compatible = form == NormalizationForm::nfkc || form == NormalizationForm::nfkd;
  Changes parts = decomposed(text, compatible);
  if (form == NormalizationForm::nfd || form == NormalizationForm::nfkd) return parts;
  return composed(parts);
}

}  // namespace text
}  // namespace systolic::inline v0
