#include "plugin/shardings/placement.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <tuple>

#include "plugin/shardings/factor_cuts.h"

namespace systolic::inline v0 {
namespace plugin {

bool PlacedArray::is_whole() const {
  return std::all_of(cuts.begin(), cuts.end(), [](const Cut& cut) { return cut.pieces == 1; });
}

int Placement::add(std::vector<int64_t> sizes, stablehlo::ElementType element) {
  PlacedArray& array = arrays_.emplace_back();
  array.element = element;
  array.cuts.resize(sizes.size());
  array.closed.resize(sizes.size(), false);
  array.sizes = std::move(sizes);
  return static_cast<int>(arrays_.size()) - 1;
}

void Placement::add(Step step) {
  for (size_t i = 0; i < step.rule.operands; ++i) ++at(step.arrays[i]).uses;
  steps_.push_back(std::move(step));
}

namespace {

constexpr int last_priority = 4;

// What may be cut by others' cuts, and may cut others: of operands and of results.
struct Cuts {
  Cut cut = {};
  bool may_grow = true;

  void meet(const Cut& other) {
    if (begins(cut, other)) {
      if (may_grow) cut = other;
    } else if (!begins(other, cut)) {
      cut = common(cut, other);
      may_grow = false;
    }
  }
};

// Which array a factor's cut comes from: the largest that is cut so.
struct Source {
  int64_t elements = -1;
  size_t array = 0;
};

Source source_of(const std::vector<FactorCuts>& arrays, size_t factor, const Cut& cut) {
  Source source;
  if (cut.pieces == 1) return source;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].has(factor) && begins(cut, arrays[i].cut(factor)) &&
        arrays[i].elements() > source.elements) {
      source = {arrays[i].elements(), i};
    }
  }
  return source;
}

std::vector<size_t> most_important_first(const std::vector<FactorCuts>& arrays,
                                         const std::vector<Cut>& cuts, bool one_shape) {
  std::vector<size_t> order(cuts.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::tuple<int64_t, int64_t, size_t>> keys;
  for (size_t i = 0; i < cuts.size(); ++i) {
    const Source source = source_of(arrays, i, cuts[i]);
    keys.emplace_back(-source.elements, one_shape ? -cuts[i].pieces : 0, source.array);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  return order;
}

// The cut of a factor by which `way` goes through an op.
Cut cut_through(const std::vector<FactorCuts>& arrays, size_t operands, size_t factor,
                Direction way) {
  Cuts met;
  const auto meet = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) {
      if (arrays[i].has(factor)) met.meet(arrays[i].cut(factor));
    }
  };
  if (way == Direction::backward) {
    meet(operands, arrays.size());
    met.may_grow = false;
    meet(0, operands);
  } else {
    meet(0, operands);
    met.may_grow = met.may_grow && way == Direction::both;
    meet(operands, arrays.size());
  }
  return std::move(met.cut);
}

// An operand is not cut more than the result of an elementwise op may be.
const Cut& not_beyond(const FactorCuts& result, size_t factor, const Cut& cut) {
  const bool less = result.has(factor) && result.cut(factor).pieces < cut.pieces &&
                    begins(result.cut(factor), cut);
  return less ? result.cut(factor) : cut;
}

}  // namespace

// 0: where no operand is used twice, what passes elements on. 1: wherever. 2: axes that pass, of
// any op. 3: all but what a broadcast would cut. 4: all.
Direction Placement::direction(const Step& step, bool factor_passes, int priority) const {
  using Kind = Step::Kind;
  if (step.kind == Kind::edge || priority >= last_priority) return Direction::both;
  const bool used_once = std::all_of(
      step.arrays.begin(), step.arrays.begin() + static_cast<int64_t>(step.rule.operands),
      [&](int array) { return at(array).uses <= 1 || at(array).sizes.empty(); });
  const bool early = priority >= 1 || used_once;
  const bool late = priority >= 3 || (priority == 2 && factor_passes);
  if (step.kind == Kind::elementwise && early) return Direction::both;
  if (step.kind == Kind::broadcast) return late ? Direction::backward : Direction::none;
  if (late) return Direction::both;
  return step.kind == Kind::update && early ? Direction::forward : Direction::none;
}

bool Placement::apply(const Step& step, int priority, std::vector<int>& changed) {
  std::vector<FactorCuts> arrays;
  for (size_t i = 0; i < step.arrays.size(); ++i) {
    arrays.emplace_back(step.rule, i, at(step.arrays[i]));
  }
  const size_t operands = step.rule.operands, factors = step.rule.factors.size();
  std::vector<Cut> cuts(factors);
  for (size_t factor = 0; factor < factors; ++factor) {
    const Direction way = direction(step, step.rule.factors[factor].passes, priority);
    if (way == Direction::none) continue;
    cuts[factor] = cut_through(arrays, operands, factor, way);
  }
  if (std::all_of(cuts.begin(), cuts.end(), [](const Cut& cut) { return cut.pieces == 1; })) {
    return false;
  }
  const std::vector<size_t> order = most_important_first(arrays, cuts, step.one_shape);
  // Results first, as operands look at them.
  for (size_t k = 0; k < arrays.size(); ++k) {
    const size_t i = (k + operands) % arrays.size();
    bool grows = false;
    for (size_t factor : order) {
      if (!arrays[i].has(factor)) continue;
      const bool follows = i < operands && step.one_shape;
      const Cut& wanted = follows ? not_beyond(arrays.back(), factor, cuts[factor]) : cuts[factor];
      grows = arrays[i].extend(factor, wanted) || grows;
    }
    if (grows && arrays[i].write(at(step.arrays[i]))) changed.push_back(step.arrays[i]);
  }
  return !changed.empty();
}

void Placement::propagate() {
  if (std::all_of(arrays_.begin(), arrays_.end(),
                  [](const PlacedArray& array) { return array.is_whole(); })) {
    return;
  }
  std::vector<std::vector<size_t>> touching(arrays_.size());
  for (size_t i = 0; i < steps_.size(); ++i) {
    for (int array : steps_[i].arrays) touching[static_cast<size_t>(array)].push_back(i);
  }
  for (int priority = 0; priority <= last_priority; ++priority) {
    std::deque<size_t> waiting(steps_.size());
    std::iota(waiting.begin(), waiting.end(), 0);
    std::vector<bool> waits(steps_.size(), true);
    while (!waiting.empty()) {
      const size_t step = waiting.front();
      waiting.pop_front();
      waits[step] = false;
      std::vector<int> changed;
      apply(steps_[step], priority, changed);
      for (int array : changed) {
        for (size_t next : touching[static_cast<size_t>(array)]) {
          if (!waits[next]) waiting.push_back(next);
          waits[next] = true;
        }
      }
    }
  }
}

}  // namespace plugin
}  // namespace systolic::inline v0
