#include "plugin/shardings/placed_collectives.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "plugin/shardings/factor_cuts.h"

namespace systolic::inline v0 {
namespace plugin {

namespace {

constexpr int most_passes = 8;  // loops in loops

bool cuts(const Cut& cut) { return cut.pieces > 1; }

std::vector<int64_t> part_of(const PlacedArray& array) {
  std::vector<int64_t> sizes = array.sizes;
  for (size_t axis = 0; axis < sizes.size(); ++axis) sizes[axis] /= array.cuts[axis].pieces;
  return sizes;
}

// The cores that differ in `exchanged`, and in nothing of `kept`. Those that differ in neither are
// of different groups.
std::vector<std::vector<int64_t>> groups_of(const std::vector<Cut>& kept, const Cut& exchanged,
                                            int64_t cores) {
  using Key = std::vector<int64_t>;
  std::map<Key, int64_t> met;
  std::map<Key, std::vector<int64_t>> groups;
  for (int64_t core = 0; core < cores; ++core) {
    Key key;
    for (const Cut& cut : kept) {
      if (cuts(cut)) key.push_back(cut.index[static_cast<size_t>(core)]);
    }
    Key full = key;
    full.push_back(exchanged.index[static_cast<size_t>(core)]);
    key.push_back(met[full]++);
    groups[key].push_back(core);
  }
  std::vector<std::vector<int64_t>> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  return result;
}

// An op's arrays, by the factors of its rule.
struct View {
  const Step& step;
  std::vector<FactorCuts> arrays;
  size_t operands() const { return step.rule.operands; }
  size_t factors() const { return step.rule.factors.size(); }

  View(const Step& step, const Placement& placement) : step(step) {
    for (size_t i = 0; i < step.arrays.size(); ++i) {
      arrays.emplace_back(step.rule, i, placement.at(step.arrays[i]));
    }
  }

  // The first result that has the factor; arrays.size() where it is summed over.
  size_t result_with(size_t factor) const {
    size_t i = operands();
    while (i < arrays.size() && !arrays[i].has(factor)) ++i;
    return i;
  }

  // The cut of a factor that is summed over: that of the largest operand. No core may have to
  // compute parts of the result for others, so that it cuts nothing that the result is cut by.
  Cut summed_cut(size_t factor) const {
    if (!step.sums) return {};
    const FactorCuts* largest = nullptr;
    for (size_t i = 0; i < operands(); ++i) {
      if (!arrays[i].has(factor) || !cuts(arrays[i].cut(factor))) continue;
      if (largest == nullptr || arrays[i].elements() > largest->elements()) largest = &arrays[i];
    }
    if (largest == nullptr) return {};
    std::vector<const Cut*> all = {&largest->cut(factor)};
    for (size_t other = 0; other < factors(); ++other) {
      const size_t result = result_with(other);
      if (result < arrays.size()) all.push_back(&arrays[result].cut(other));
    }
    return independent(all) ? largest->cut(factor) : Cut{};
  }

  std::vector<Cut> wanted() const {
    std::vector<Cut> result;
    for (size_t factor = 0; factor < factors(); ++factor) {
      const size_t with = result_with(factor);
      result.push_back(with < arrays.size() ? arrays[with].cut(factor) : summed_cut(factor));
    }
    return result;
  }
};

class Search {
 public:
  Search(Placement& placement, const std::vector<int>& results, int64_t cores)
      : placement_(placement),
        cores_(cores),
        needed_(static_cast<size_t>(placement.arrays()), false),
        level_(needed_.size(), 0),
        reduced_(needed_.size(), false) {
    for (int array : results) needed_[static_cast<size_t>(array)] = true;
  }

  std::vector<Collective> run() {
    find_needed();
    find_addends();
    for (const Step& step : placement_.steps()) {
      if (gives_needed(step)) visit(step);
    }
    return std::move(found_);
  }

 private:
  using Arrays = std::vector<int>::const_iterator;
  static Arrays results_of(const Step& step) {
    return step.arrays.begin() + static_cast<std::ptrdiff_t>(step.rule.operands);
  }
  bool gives_needed(const Step& step) const {
    return std::any_of(results_of(step), step.arrays.end(),
                       [&](int array) { return needed_[static_cast<size_t>(array)]; });
  }

  // A loop's array is needed where a later step's is, so that one walk backward is not enough.
  void find_needed() {
    bool changed = true;
    for (int pass = 0; changed && pass < most_passes; ++pass) {
      changed = false;
      for (auto step = placement_.steps().rbegin(); step != placement_.steps().rend(); ++step) {
        if (!gives_needed(*step)) continue;
        for (auto i = step->arrays.begin(); i != results_of(*step); ++i) {
          changed = changed || !needed_[static_cast<size_t>(*i)];
          needed_[static_cast<size_t>(*i)] = true;
        }
      }
    }
  }

  bool has_addends(int array) const { return cuts(placement_.at(array).addend); }
  bool give(int array, const Cut& addend) {
    PlacedArray& to = placement_.at(array);
    if (to.addend_said || cuts(to.addend)) return false;
    to.addend = addend;
    return true;
  }

  // Addends go on through what is linear, in both directions: a sum whose use is unreduced need not
  // be one.
  void find_addends() {
    bool changed = true;
    for (int pass = 0; changed && pass < most_passes; ++pass) {
      changed = false;
      for (const Step& step : placement_.steps()) {
        if (step.linear) changed = pass_addends(step) || changed;
      }
    }
  }

  bool pass_addends(const Step& step) {
    const auto with = std::find_if(step.arrays.begin(), step.arrays.end(),
                                   [&](int array) { return has_addends(array); });
    if (with == step.arrays.end()) return false;
    const Cut addend = placement_.at(*with).addend;
    const bool forward = with < results_of(step);
    // x + y is made of addends where both are; scalars that say where a slice begins are not asked.
    if (forward && step.one_shape &&
        !std::all_of(step.arrays.begin(), results_of(step),
                     [&](int array) { return has_addends(array); })) {
      return false;
    }
    bool changed = false;
    for (int array : step.arrays) {
      if (placement_.at(array).sizes.size() == placement_.at(*with).sizes.size() ||
          array == step.arrays.back()) {
        changed = give(array, addend) || changed;
      }
    }
    return changed;
  }

  int& level(int array) { return level_[static_cast<size_t>(array)]; }
  void add(Collective::Kind kind, const PlacedArray& array, std::vector<int64_t> before,
           std::vector<int64_t> after, size_t axis, std::vector<std::vector<int64_t>> groups,
           int level) {
    found_.push_back({.kind = kind,
                      .element = array.element,
                      .before = std::move(before),
                      .after = std::move(after),
                      .axis = static_cast<int64_t>(axis),
                      .groups = std::move(groups),
                      .level = level});
  }

  // All of the group's cores have the sum.
  void reduce(int array, const Cut& addend) {
    const PlacedArray& placed = placement_.at(array);
    const std::vector<int64_t> part = part_of(placed);
    add(Collective::Kind::all_reduce, placed, part, part, 0, groups_of(placed.cuts, addend, cores_),
        level(array)++);
  }

  void visit(const Step& step) {
    const View view(step, placement_);
    const std::vector<Cut> wanted = view.wanted();
    const bool keeps_addends = std::any_of(results_of(step), step.arrays.end(),
                                           [&](int array) { return has_addends(array); });
    int before = 0;
    for (size_t i = 0; i < view.operands(); ++i) {
      const int array = step.arrays[i];
      if (has_addends(array) && !keeps_addends && !reduced_[static_cast<size_t>(array)]) {
        reduce(array, placement_.at(array).addend);
        reduced_[static_cast<size_t>(array)] = true;
      }
      move(view, i, wanted);
      before = std::max(before, level(array));
    }
    Cut summed;
    for (size_t factor = 0; factor < view.factors(); ++factor) {
      if (view.result_with(factor) == view.arrays.size()) summed = combine(summed, wanted[factor]);
    }
    for (auto result = results_of(step); result != step.arrays.end(); ++result) {
      level(*result) = std::max(level(*result), before);
      if (cuts(summed) && !has_addends(*result)) reduce(*result, summed);
    }
  }

  // What an operand has to be gathered of, or exchanged, so that each core has what it computes
  // with.
  void move(const View& view, size_t operand, const std::vector<Cut>& wanted) {
    const FactorCuts& own = view.arrays[operand];
    const PlacedArray& placed = placement_.at(view.step.arrays[operand]);
    std::vector<int64_t> pieces(placed.sizes.size(), 1);  // that each axis may keep
    bool borders = false, finer = false;
    for (size_t factor = 0; factor < view.factors(); ++factor) {
      const Factor& of = view.step.rule.factors[factor];
      const int axis = of.axes[operand];
      if (axis == no_axis) continue;
      const bool stays = of.passes || view.result_with(factor) == view.arrays.size();
      borders = borders || (!stays && view.step.borders && cuts(own.cut(factor)));
      finer = finer || own.cut(factor).pieces < wanted[factor].pieces;
      const bool keeps = stays || view.step.borders;
      if (keeps) pieces[static_cast<size_t>(axis)] *= kept_of(own.cut(factor), wanted[factor]);
    }
    const int array = view.step.arrays[operand];
    bool moved = false;
    for (size_t axis = 0; axis < pieces.size(); ++axis) {
      if (placed.cuts[axis].pieces <= pieces[axis]) continue;
      gather(array, axis, pieces[axis], finer);
      moved = true;
    }
    if (borders && !moved) exchange_borders(array);
  }

  static int64_t kept_of(const Cut& own, const Cut& wanted) {
    return begins(own, wanted) ? own.pieces : common(own, wanted).pieces;
  }

  void gather(int array, size_t axis, int64_t pieces, bool for_other_axis) {
    if (!gathered_.emplace(array, axis, pieces).second) return;
    PlacedArray left = placement_.at(array);
    const Cut exchanged = rest_of(left.cuts[axis], pieces);
    const std::vector<int64_t> before = part_of(left);
    left.cuts[axis] = first_of(left.cuts[axis], pieces);
    const auto kind = for_other_axis ? Collective::Kind::all_to_all : Collective::Kind::all_gather;
    std::vector<int64_t> after = for_other_axis ? before : part_of(left);
    add(kind, left, before, std::move(after), axis, groups_of(left.cuts, exchanged, cores_),
        level(array)++);
  }

  // Each core of a row of neighbours hands something to the next.
  void exchange_borders(int array) {
    const PlacedArray& placed = placement_.at(array);
    for (size_t axis = 0; axis < placed.cuts.size(); ++axis) {
      if (!cuts(placed.cuts[axis]) || !gathered_.emplace(array, axis, 0).second) continue;
      std::vector<Cut> others = placed.cuts;
      others[axis] = {};
      std::vector<std::vector<int64_t>> pairs;
      for (const auto& group : groups_of(others, placed.cuts[axis], cores_)) {
        for (size_t i = 0; i + 1 < group.size(); ++i) pairs.push_back({group[i], group[i + 1]});
      }
      const std::vector<int64_t> part = part_of(placed);
      add(Collective::Kind::collective_permute, placed, part, part, axis, std::move(pairs),
          level(array)++);
    }
  }

  Placement& placement_;
  int64_t cores_;
  std::vector<bool> needed_;
  std::vector<int> level_;
  std::vector<bool> reduced_;
  std::set<std::tuple<int, size_t, int64_t>> gathered_;
  std::vector<Collective> found_;
};

}  // namespace

std::vector<Collective> placed_collectives(Placement& placement, const std::vector<int>& results,
                                           int64_t cores) {
  return Search(placement, results, cores).run();
}

}  // namespace plugin
}  // namespace systolic::inline v0
