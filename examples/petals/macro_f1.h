// The competition's score, and the classes it is of.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/core/literal.h"

namespace examples {

// The mean over the classes that occur, in labels or answers, of 2 * precision * recall /
// (precision + recall). As many answers as labels, one at least.
double macro_f1(const std::vector<int64_t>& labels, const std::vector<int64_t>& answers);

// The position of the largest score of each row of [batch, classes].
std::vector<int64_t> best_classes(const systolic::Literal& scores);

}  // namespace examples
