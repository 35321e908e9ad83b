// Checks of the numbers of update rules and schedules, with one wording: "SGD: momentum is 2,
// expected from 0 to 1". Internal to nn.
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// A share such as momentum; NaN is none.
void check_share(std::string_view owner, std::string_view field, double value);
// How fast an average forgets, such as beta_1: at 1 it would never learn, and Adam divide by zero.
void check_decay_rate(std::string_view owner, std::string_view field, double value);
// A rate of NaN would make all weights NaN, one below 0 climb the loss.
void check_learning_rate(std::string_view owner, std::string_view field, double value,
                         SourceLocation location = {});
// The length of a schedule: at least 1 step.
void check_decay_steps(std::string_view schedule, int64_t steps);

}  // namespace systolic::inline v0
