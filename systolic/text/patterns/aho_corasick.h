// Finds many keys in a text at once (Aho and Corasick 1975), in time linear in the text however
// many and long the keys are.
//
//   AhoCorasick keys({{"ab", 0}, {"abc", 1}, {"cd", 2}});
//   keys.find_all("abcd");                                     // {{0, 3}, 1}
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/text/patterns/double_array_trie.h"
#include "systolic/text/pieces/normalized_text.h"

namespace systolic::inline v0 {
namespace text {

class AhoCorasick {
 public:
  struct Match {
    Range range;
    int32_t value;
  };

  AhoCorasick() = default;
  // Keys are not empty, values >= 0. The last of equal keys counts. The keys are not kept.
  explicit AhoCorasick(const std::vector<std::pair<std::string_view, int32_t>>& keys);

  bool empty() const { return states_.empty(); }
  bool any_in(std::string_view text) const;
  // The matches from left to right, without overlaps: each is the leftmost after the one before,
  // and the longest of those that begin there.
  std::vector<Match> find_all(std::string_view text) const;

 private:
  // The text is read from its end, and the trie holds the keys reversed: then the longest key that
  // a state ends with is the longest that begins at a place of the text, which a search from the
  // beginning knows only after going far beyond it.
  struct State {
    int32_t failure = DoubleArrayTrie::root;  // that of the longest proper suffix
    int32_t value = DoubleArrayTrie::none;    // of the longest key that this state ends with
    uint32_t size = 0;                        // of that key
  };
  int32_t next(int32_t state, unsigned char byte) const;
  // Calls f(begin, state) for each place at which keys begin, the last one first, until it is
  // false.
  template <class F>
  void for_each_begin(std::string_view text, F&& f) const;

  DoubleArrayTrie trie_;
  std::vector<State> states_;
  bool last_bytes_[256] = {};  // of keys
};

}  // namespace text
}  // namespace systolic::inline v0
