// A trie of byte strings in two arrays (Aoe 1989): one load and one comparison a byte.
//
//   DoubleArrayTrie trie({{"play", 7}, {"player", 8}});
//   auto state = trie.root;
//   for (char c : "play"sv) state = trie.next(state, c);
//   trie.value(state);                                   // 7
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace text {

class DoubleArrayTrie {
 public:
  static constexpr int32_t root = 0;
  static constexpr int32_t none = -1;  // no such state, no value

  DoubleArrayTrie() : DoubleArrayTrie(std::vector<std::pair<std::string_view, int32_t>>{}) {}
  // Values are >= 0. The last of equal keys counts. The keys are not kept.
  explicit DoubleArrayTrie(std::vector<std::pair<std::string_view, int32_t>> keys);

  // The state that `byte` leads to, or none.
  int32_t next(int32_t state, unsigned char byte) const {
    const int32_t to = nodes_[static_cast<size_t>(state)].base + byte;
    return nodes_[static_cast<size_t>(to)].parent == state ? to : none;
  }
  // The value of the key that ends in `state`, or none.
  int32_t value(int32_t state) const { return values_[static_cast<size_t>(state)]; }
  // States are below this, and not all below it are in use.
  int32_t states() const { return static_cast<int32_t>(values_.size()); }
  // The state before `state`; none for the root and what is not in use.
  int32_t parent(int32_t state) const {
    return state == root ? none : nodes_[static_cast<size_t>(state)].parent;
  }
  // The byte that leads to `state`, which is in use and not the root.
  unsigned char byte_to(int32_t state) const {
    return static_cast<unsigned char>(state - nodes_[static_cast<size_t>(parent(state))].base);
  }
  // The states in use, those of shorter keys first.
  std::vector<int32_t> states_by_depth() const;
  // The longest key at text[begin...]: its end and its value; none where there is no key.
  struct Match {
    size_t end;
    int32_t value;
  };
  Match longest(std::string_view text, size_t begin) const;

 private:
  friend class TrieBuilder;
  struct Node {
    int32_t base = 0, parent = none;
  };
  std::vector<Node> nodes_;  // 256 more than there are states, so that next() needs no bounds check
  std::vector<int32_t> values_;
};

}  // namespace text
}  // namespace systolic::inline v0
