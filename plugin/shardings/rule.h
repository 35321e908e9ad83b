// Which axes of an op's arrays belong together, so that a cut of one is a cut of the others: the
// sharding rule of OpenXLA Shardy (docs/propagation.md). In a product of [i, k] with [k, j] there
// are three factors: i is axis 0 of the first operand and of the result.
#pragma once

#include <optional>
#include <vector>

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

inline constexpr int no_axis = -1;

struct Factor {
  int64_t size = 1;
  std::vector<int> axes = {};  // of each array, operands first; no_axis where it has none
  bool passes = true;          // element by element; else what it cuts needs others' parts
};

// An axis that several factors name has the first of them as its major one.
struct Rule {
  size_t operands = 0;
  std::vector<Factor> factors = {};
};

struct Sizes {
  std::vector<std::vector<int64_t>> operands, results;
};

// Every array has the axes of every other; scalars among them have none.
Rule pointwise_rule(const Sizes& sizes);

// Nothing for an op that stops cuts.
std::optional<Rule> rule_of(const stablehlo::Program& program, const stablehlo::Operation& op,
                            const Sizes& sizes);

bool is_elementwise(const stablehlo::Operation& op, const Sizes& sizes);

}  // namespace plugin
}  // namespace systolic::inline v0
