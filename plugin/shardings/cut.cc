#include "plugin/shardings/cut.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace plugin {

std::vector<int64_t> divisors(int64_t pieces) {
  std::vector<int64_t> result;
  for (int64_t i = pieces; i > 0; --i) {
    if (pieces % i == 0) result.push_back(i);
  }
  return result;
}

Cut first_of(const Cut& cut, int64_t pieces) {
  if (pieces == 1) return {};
  Cut result{pieces, cut.index};
  for (int64_t& index : result.index) index /= cut.pieces / pieces;
  return result;
}

Cut rest_of(const Cut& cut, int64_t pieces) {
  if (pieces == cut.pieces) return {};
  Cut result{cut.pieces / pieces, cut.index};
  for (int64_t& index : result.index) index %= result.pieces;
  return result;
}

bool begins(const Cut& coarse, const Cut& fine) {
  return fine.pieces % coarse.pieces == 0 && first_of(fine, coarse.pieces) == coarse;
}

Cut common(const Cut& a, const Cut& b) {
  for (int64_t pieces : divisors(a.pieces)) {
    Cut first = first_of(a, pieces);
    if (begins(first, b)) return first;
  }
  return {};
}

Cut combine(const Cut& major, const Cut& minor) {
  if (major.pieces == 1) return minor;
  if (minor.pieces == 1) return major;
  Cut result{major.pieces * minor.pieces, major.index};
  for (size_t core = 0; core < result.index.size(); ++core) {
    result.index[core] = result.index[core] * minor.pieces + minor.index[core];
  }
  return result;
}

bool independent(const std::vector<const Cut*>& cuts) {
  Cut all;
  for (const Cut* cut : cuts) all = combine(all, *cut);
  std::sort(all.index.begin(), all.index.end());
  const auto end = std::unique(all.index.begin(), all.index.end());
  return all.pieces == 1 || end - all.index.begin() == all.pieces;
}

}  // namespace plugin
}  // namespace systolic::inline v0
