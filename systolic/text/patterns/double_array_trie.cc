#include "systolic/text/patterns/double_array_trie.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace text {

using Keys = std::vector<std::pair<std::string_view, int32_t>>;

// Gives states to the nodes of sorted keys, level by level.
class TrieBuilder {
 public:
  TrieBuilder(const Keys& keys, DoubleArrayTrie& trie) : keys_(keys), trie_(trie) {
    grow();
    take(DoubleArrayTrie::root);
    trie_.nodes_[0].parent = DoubleArrayTrie::none - 1;  // no state
    level_.push_back({DoubleArrayTrie::root, 0, keys.size()});
  }

  void build() {
    for (size_t depth = 0; !level_.empty(); ++depth) {
      std::vector<Node> level;
      level.swap(level_);
      for (const Node& node : level) expand(node, depth);
    }
    trie_.nodes_.resize(trie_.values_.size() + 256);
  }

 private:
  // A state, and the keys [begin, end) that go through it.
  struct Node {
    int32_t state;
    size_t begin, end;
  };
  struct Child {
    unsigned char byte;
    size_t begin, end;
  };

  void expand(const Node& node, size_t depth) {
    size_t begin = node.begin;
    for (; begin < node.end && keys_[begin].first.size() == depth; ++begin) {
      trie_.values_[static_cast<size_t>(node.state)] = keys_[begin].second;
    }
    children_.clear();
    while (begin < node.end) {
      const char byte = keys_[begin].first[depth];
      size_t end = begin + 1;
      while (end < node.end && keys_[end].first[depth] == byte) ++end;
      children_.push_back({static_cast<unsigned char>(byte), begin, end});
      begin = end;
    }
    if (children_.empty()) return;
    const int32_t base = find_base();
    trie_.nodes_[static_cast<size_t>(node.state)].base = base;
    for (const Child& child : children_) {
      const int32_t state = base + child.byte;
      take(state);
      trie_.nodes_[static_cast<size_t>(state)].parent = node.state;
      level_.push_back({state, child.begin, child.end});
    }
  }

  // A base whose states for all children are free. Tries a few, then takes new states, so that
  // building takes time proportional to the keys.
  int32_t find_base() {
    for (const auto* way : {&next_free_, &previous_free_}) {  // the oldest, then the emptiest
      int32_t free = (*way)[0];
      for (int tries = 0; free != 0 && tries < 32; ++tries) {
        const int32_t base = free - children_.front().byte;
        if (base >= 0 && all_free(base)) return base;
        free = (*way)[static_cast<size_t>(free)];
      }
    }
    const int32_t base = static_cast<int32_t>(trie_.values_.size());
    grow();
    return base;
  }

  bool all_free(int32_t base) {
    for (const Child& child : children_) {
      const size_t state = static_cast<size_t>(base + child.byte);
      while (state >= trie_.values_.size()) grow();
      if (used_[state]) return false;
    }
    return true;
  }

  void grow() {
    const size_t old = trie_.values_.size(), size = old + 256;
    trie_.values_.resize(size, DoubleArrayTrie::none);
    trie_.nodes_.resize(size);
    used_.resize(size, false);
    next_free_.resize(size);
    previous_free_.resize(size);
    if (old == 0) next_free_[0] = previous_free_[0] = 0;
    for (size_t state = std::max<size_t>(old, 1); state < size; ++state) {  // after the last
      const int32_t last = previous_free_[0];
      next_free_[static_cast<size_t>(last)] = static_cast<int32_t>(state);
      previous_free_[state] = last;
      next_free_[state] = 0;
      previous_free_[0] = static_cast<int32_t>(state);
    }
  }

  void take(int32_t state) {
    const auto at = static_cast<size_t>(state);
    used_[at] = true;
    if (state == 0) return;
    next_free_[static_cast<size_t>(previous_free_[at])] = next_free_[at];
    previous_free_[static_cast<size_t>(next_free_[at])] = previous_free_[at];
  }

  const Keys& keys_;
  DoubleArrayTrie& trie_;
  std::vector<Node> level_;
  std::vector<Child> children_;
  std::vector<bool> used_;
  std::vector<int32_t> next_free_, previous_free_;  // a ring of the free states; 0 is its head
};

DoubleArrayTrie::DoubleArrayTrie(Keys keys) {
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  TrieBuilder(keys, *this).build();
}

std::vector<int32_t> DoubleArrayTrie::states_by_depth() const {
  std::vector<int32_t> depth(static_cast<size_t>(states()), none), way;
  depth[root] = 0;
  for (int32_t state = 0; state < states(); ++state) {
    if (state != root && parent(state) < 0) continue;
    way.clear();
    int32_t known = state;
    for (; depth[static_cast<size_t>(known)] == none; known = parent(known)) way.push_back(known);
    int32_t level = depth[static_cast<size_t>(known)];
    for (auto at = way.rbegin(); at != way.rend(); ++at) depth[static_cast<size_t>(*at)] = ++level;
  }
  std::vector<int32_t> order;
  for (int32_t state = 0; state < states(); ++state) {
    if (depth[static_cast<size_t>(state)] != none) order.push_back(state);
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return depth[static_cast<size_t>(a)] < depth[static_cast<size_t>(b)];
  });
  return order;
}

DoubleArrayTrie::Match DoubleArrayTrie::longest(std::string_view text, size_t begin) const {
  Match best{begin, none};
  int32_t state = root;
  for (size_t at = begin; at < text.size(); ++at) {
    state = next(state, static_cast<unsigned char>(text[at]));
    if (state == none) break;
    if (value(state) != none) best = {at + 1, value(state)};
  }
  return best;
}

}  // namespace text
}  // namespace systolic::inline v0
