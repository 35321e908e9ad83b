#include "systolic/text/patterns/aho_corasick.h"

#include <algorithm>
#include <string>

namespace systolic::inline v0 {
namespace text {
namespace {

constexpr int32_t root = DoubleArrayTrie::root;
constexpr int32_t no_state = DoubleArrayTrie::none;

DoubleArrayTrie trie_of_reversed(const std::vector<std::pair<std::string_view, int32_t>>& keys) {
  std::vector<std::string> reversed;
  reversed.reserve(keys.size());
  std::vector<std::pair<std::string_view, int32_t>> entries;
  for (const auto& [key, value] : keys) {
    reversed.emplace_back(key.rbegin(), key.rend());
    entries.emplace_back(reversed.back(), value);
  }
  return DoubleArrayTrie(std::move(entries));
}

}  // namespace

AhoCorasick::AhoCorasick(const std::vector<std::pair<std::string_view, int32_t>>& keys) {
  if (keys.empty()) return;
  trie_ = trie_of_reversed(keys);
  states_.resize(static_cast<size_t>(trie_.states()));
  for (const auto& [key, value] : keys) last_bytes_[static_cast<unsigned char>(key.back())] = true;
  std::vector<uint32_t> depth(states_.size());
  for (const int32_t id : trie_.states_by_depth()) {
    if (id == root) continue;
    const int32_t parent = trie_.parent(id);
    State& state = states_[static_cast<size_t>(id)];
    depth[static_cast<size_t>(id)] = depth[static_cast<size_t>(parent)] + 1;
    if (parent != root) {
      state.failure = next(states_[static_cast<size_t>(parent)].failure, trie_.byte_to(id));
    }
    const State& suffix = states_[static_cast<size_t>(state.failure)];
    const bool is_key = trie_.value(id) != no_state;
    state.value = is_key ? trie_.value(id) : suffix.value;
    state.size = is_key ? depth[static_cast<size_t>(id)] : suffix.size;
  }
}

int32_t AhoCorasick::next(int32_t state, unsigned char byte) const {
  while (true) {
    const int32_t to = trie_.next(state, byte);
    if (to != no_state) return to;
    if (state == root) return root;
    state = states_[static_cast<size_t>(state)].failure;
  }
}

template <class F>
void AhoCorasick::for_each_begin(std::string_view text, F&& f) const {
  if (empty()) return;
  int32_t state = root;
  for (size_t at = text.size(); at-- > 0;) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (state == root && !last_bytes_[byte]) continue;
    state = next(state, byte);
    const State& reached = states_[static_cast<size_t>(state)];
    if (reached.value != no_state && !f(static_cast<uint32_t>(at), reached)) return;
  }
}

bool AhoCorasick::any_in(std::string_view text) const {
  bool any = false;
  for_each_begin(text, [&](uint32_t, const State&) {
    any = true;
    return false;
  });
  return any;
}

std::vector<AhoCorasick::Match> AhoCorasick::find_all(std::string_view text) const {
  std::vector<Match> found;
  for_each_begin(text, [&](uint32_t begin, const State& state) {
    found.push_back({{begin, begin + state.size}, state.value});
    return true;
  });
  std::reverse(found.begin(), found.end());
  size_t kept = 0;
  for (const Match& match : found) {
    if (kept == 0 || match.range.begin >= found[kept - 1].range.end) found[kept++] = match;
  }
  found.resize(kept);
  return found;
}

}  // namespace text
}  // namespace systolic::inline v0
