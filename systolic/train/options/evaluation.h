// What evaluate() returns.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string_view>

#include "systolic/events/logs.h"

namespace systolic::inline v0 {

// Logs of evaluate, with the number of samples that were seen: all of the dataset's, each once.
struct Evaluation {
  Logs logs;
  int64_t samples = 0;
  double operator[](std::string_view name) const;
};
// "loss: 0.0876 - accuracy: 0.9731", as the progress bar has them.
std::ostream& operator<<(std::ostream& out, const Evaluation& evaluation);

}  // namespace systolic::inline v0
