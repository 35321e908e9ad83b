// Scores as Python's dictionaries of them: names and values.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

// In the dictionary's order: {{"accuracy", 0.85}, {"f1", 0.9}}.
//   for (const auto& [name, value] : scores) std::cout << name << " " << value << "\n";
using NamedScores = std::vector<std::pair<std::string, double>>;

}  // namespace systolic::inline v0
