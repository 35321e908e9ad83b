#include "plugin/shardings/factor_cuts.h"

#include <algorithm>
#include <numeric>

namespace systolic::inline v0 {
namespace plugin {

FactorCuts::FactorCuts(const Rule& rule, size_t array, const PlacedArray& placed)
    : rule_(rule), parts_(rule.factors.size()), stuck_(placed.sizes.size(), false) {
  std::vector<size_t> last(placed.sizes.size(), rule.factors.size());
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    const int axis = rule.factors[i].axes[array];
    if (axis == no_axis) continue;
    parts_[i].axis = axis;
    parts_[i].closed = placed.closed[static_cast<size_t>(axis)];
    last[static_cast<size_t>(axis)] = i;
    elements_ *= rule.factors[i].size;
  }
  std::vector<Cut> left = placed.cuts;
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!has(i)) continue;
    const auto axis = static_cast<size_t>(parts_[i].axis);
    parts_[i].last = last[axis] == i;
    if (stuck_[axis]) continue;
    const int64_t pieces =
        parts_[i].last ? left[axis].pieces : std::gcd(left[axis].pieces, rule.factors[i].size);
    parts_[i].cut = first_of(left[axis], pieces);
    left[axis] = rest_of(left[axis], pieces);
    stuck_[axis] = left[axis].pieces > 1 && pieces != rule.factors[i].size;
  }
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (has(i) && stuck_[static_cast<size_t>(parts_[i].axis)]) parts_[i].closed = true;
  }
  rests_ = std::move(left);
}

int64_t FactorCuts::most_pieces(size_t factor, const Cut& wanted) const {
  const Part& part = parts_[factor];
  if (part.closed) return part.cut.pieces;
  if (part.last) return wanted.pieces;
  return std::gcd(wanted.pieces, rule_.factors[factor].size);
}

bool FactorCuts::is_free(size_t factor, const Cut& cut) const {
  std::vector<const Cut*> all = {&cut};
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (i != factor && has(i)) all.push_back(&parts_[i].cut);
  }
  for (const Cut& rest : rests_) all.push_back(&rest);
  return independent(all);
}

bool FactorCuts::extend(size_t factor, const Cut& wanted) {
  Cut& own = parts_[factor].cut;
  if (wanted.pieces == own.pieces || !begins(own, wanted)) return false;
  const int64_t most = most_pieces(factor, wanted);
  for (int64_t pieces : divisors(most)) {
    if (pieces <= own.pieces) return false;
    Cut cut = first_of(wanted, pieces);
    if (!begins(own, cut) || !is_free(factor, cut)) continue;
    own = std::move(cut);
    return true;
  }
  return false;
}

// A minor factor's cut counts only where the major ones are cut into single elements.
bool FactorCuts::write(PlacedArray& placed) const {
  std::vector<Cut> cuts(placed.sizes.size());
  std::vector<bool> whole(placed.sizes.size(), true), named(placed.sizes.size(), false);
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!has(i)) continue;
    const auto axis = static_cast<size_t>(parts_[i].axis);
    named[axis] = true;
    if (!whole[axis]) continue;
    cuts[axis] = combine(cuts[axis], parts_[i].cut);
    whole[axis] = parts_[i].cut.pieces == rule_.factors[i].size;
  }
  bool changed = false;
  for (size_t axis = 0; axis < cuts.size(); ++axis) {
    if (!named[axis] || stuck_[axis] || cuts[axis] == placed.cuts[axis]) continue;
    placed.cuts[axis] = std::move(cuts[axis]);
    changed = true;
  }
  return changed;
}

}  // namespace plugin
}  // namespace systolic::inline v0
