// Tests of how chlo's functions become ops of StableHLO, which upstream compares as text.
#pragma once

#include <optional>
#include <string>

namespace tool {

struct Legalized {
  int read = 0;  // programs
  int made = 0;  // of these, made into ops of StableHLO; the others leave sizes open
  std::optional<std::string> failure = {};  // the first
};

// Reads and verifies each program of the file, and imports each of its functions whose sizes are
// known. One with a comment "expected-error" is to be refused.
Legalized legalize_file(const std::string& text, const std::string& name);

}  // namespace tool
