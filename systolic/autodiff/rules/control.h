// Rules of control flow.
#pragma once

#include "systolic/autodiff/gradient_rule.h"

namespace systolic::inline v0 {
namespace autodiff {

void differentiate_while(GradientRule& r);

// Whether and how often a `while` runs, as far as the program's text shows.
struct LoopBound {
  int64_t trips = 0;   // how often the body runs at most
  bool exact = false;  // it runs so often always
  // The argument that counts: at trip i it is start + i * step.
  size_t counter = 0;
  int64_t start = 0, step = 1;
};

// Finds the bound from a comparison of a counter with a constant in the condition, alone or
// combined with others by `and`: i < 10, i >= 0, and the body's i + 1. The constants may stand
// outside, or be carried unchanged through the loop.
std::optional<LoopBound> loop_bound(const GradientRule& r);

}  // namespace autodiff
}  // namespace systolic::inline v0
