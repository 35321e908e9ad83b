#include "systolic/text/patterns/aho_corasick.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace systolic {
namespace {

using Keys = std::vector<std::pair<std::string_view, int32_t>>;
using Found = std::vector<std::array<int64_t, 3>>;  // begin, end, value

Found found_by(const text::AhoCorasick& finder, std::string_view text) {
  Found found;
  for (const auto& [range, value] : finder.find_all(text)) {
    found.push_back({range.begin, range.end, value});
  }
  return found;
}

// At each place all keys, one after the other.
Found found_slowly(const Keys& keys, std::string_view text) {
  Found found;
  for (size_t at = 0; at < text.size();) {
    size_t longest = 0;
    int64_t value = -1;
    for (const auto& [key, its] : keys) {
      if (key.size() < longest || !text.substr(at).starts_with(key)) continue;
      longest = key.size(), value = its;
    }
    if (longest > 0) found.push_back({int64_t(at), int64_t(at + longest), value});
    at += std::max<size_t>(longest, 1);
  }
  return found;
}

TEST(AhoCorasick, TakesTheLeftmostAndOfThoseTheLongest) {
  const struct {
    Keys keys;
    std::string_view text;
    Found found;
  } table[] = {
      {{}, "abc", {}},
      {{{"a", 0}}, "", {}},
      {{{"ab", 0}, {"abc", 1}, {"cd", 2}}, "abcd", {{0, 3, 1}}},
      {{{"abcd", 0}, {"bc", 1}}, "abcabcd", {{1, 3, 1}, {3, 7, 0}}},
      {{{"aab", 0}, {"a", 1}}, "aaaab", {{0, 1, 1}, {1, 2, 1}, {2, 5, 0}}},
      {{{"a", 3}, {"a", 5}}, "aa", {{0, 1, 5}, {1, 2, 5}}},
      {{{"\xC3\xA9", 0}}, "\xC3\xA9\xC3\xA8", {{0, 2, 0}}},
  };
  for (const auto& [keys, text, found] : table) {
    const text::AhoCorasick finder(keys);
    EXPECT_EQ(found_by(finder, text), found) << text;
    EXPECT_EQ(finder.any_in(text), !found.empty()) << text;
  }
}

TEST(AhoCorasick, FindsWhatASlowSearchFinds) {
  std::mt19937 random(1);
  const auto letters = [&](size_t most) {
    std::string text(1 + random() % most, 'a');
    for (char& c : text) c = static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> kept(1 + random() % 8);
    Keys keys;
    for (std::string& key : kept) {
      key = letters(6);
      keys.emplace_back(key, static_cast<int32_t>(keys.size()));
    }
    const text::AhoCorasick finder(keys);
    const std::string text = letters(40);
    const Found found = found_slowly(keys, text);
    EXPECT_EQ(found_by(finder, text), found) << text;
    EXPECT_EQ(finder.any_in(text), !found.empty()) << text;
  }
}

}  // namespace
}  // namespace systolic
