// Seeds of Unigram's training, by a suffix array of the distinct words.
#include <algorithm>
#include <map>
#include <numeric>

#include "systolic/text/trainers/unigram_trainer.h"
#include "systolic/text/unicode/utf8.h"

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr char32_t boundary = 0;  // after each word

struct Substring {
  uint64_t weight;
  std::u32string_view text;
};

// The places of `flat`, sorted by what stands there, up to `longest` + 1 characters and no further
// than the word's boundary: enough to tell substrings of `longest` apart.
class Suffixes {
 public:
  Suffixes(std::u32string_view flat, size_t longest)
      : flat_(flat), most_(longest + 1), places_(flat.size()) {
    std::iota(places_.begin(), places_.end(), size_t{0});
    std::sort(places_.begin(), places_.end(), [&](size_t a, size_t b) { return at(a) < at(b); });
  }

  // The inner nodes of the suffix tree: substrings that are followed by two different characters.
  template <class Visit>
  void visit_nodes(const Visit& visit) const {
    struct Open {
      size_t length, first;
    };
    std::vector<Open> open;
    for (size_t i = 1; i <= places_.size(); ++i) {
      const size_t common = i < places_.size() ? common_of(places_[i - 1], places_[i]) : 0;
      size_t first = i - 1;
      while (!open.empty() && open.back().length > common) {
        first = open.back().first;
        visit(flat_.substr(places_[first], open.back().length), i - first);
        open.pop_back();
      }
      if (common > 0 && (open.empty() || open.back().length < common)) {
        open.push_back({common, first});
      }
    }
  }

 private:
  std::u32string_view at(size_t place) const {
    const std::u32string_view text = flat_.substr(place, most_);
    const size_t end = text.find(boundary);
    return end == text.npos ? text : text.substr(0, end + 1);
  }
  size_t common_of(size_t a, size_t b) const {
    size_t common = 0;
    while (common < most_ && flat_[a + common] == flat_[b + common]) {
      if (flat_[a + common++] == boundary) break;
    }
    return common;
  }

  std::u32string_view flat_;
  size_t most_;
  std::vector<size_t> places_;
};

}  // namespace

std::vector<std::pair<std::string, uint64_t>> seed_pieces(const PieceCounts& words, size_t longest,
                                                          size_t most) {
  std::u32string flat;
  std::map<char32_t, uint64_t> characters;
  for (const auto& [word, count] : words) {
    for (const char32_t character : to_characters(word)) {
      flat += character;
      if (character != boundary) characters[character] += count;
    }
    flat += boundary;
  }
  std::vector<std::pair<uint64_t, char32_t>> by_count;
  for (const auto& [character, count] : characters) by_count.emplace_back(count, character);
  std::sort(by_count.rbegin(), by_count.rend());

  std::vector<Substring> substrings;
  Suffixes(flat, longest).visit_nodes([&](std::u32string_view text, size_t places) {
    if (text.size() < 2 || text.size() > longest || text.back() == boundary) return;
    substrings.push_back({places * text.size(), text});
  });
  std::sort(substrings.begin(), substrings.end(), [](const Substring& a, const Substring& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.text > b.text;
  });
  std::vector<std::pair<std::string, uint64_t>> seeds;
  for (const auto& [count, character] : by_count) {
    seeds.emplace_back(to_utf8(std::u32string_view(&character, 1)), count);
  }
  for (const Substring& one : substrings) {
    if (seeds.size() >= most) break;
    seeds.emplace_back(to_utf8(one.text), one.weight);
  }
  return seeds;
}

}  // namespace text
}  // namespace systolic::inline v0
