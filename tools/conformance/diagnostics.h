// systolic conformance --diagnostics: is refused what StableHLO's own tests say is wrong?
#pragma once

#include <iosfwd>
#include <string>

namespace tool {

// Reads and verifies each program of the .mlir files under `folder` (lines of "// -----" split a
// file); one with a comment "expected-error" is to be refused, any other to be taken. Prints those
// where that is not so, one a line with what upstream says and what we say, and last how many
// agree. `only` is a part of the paths to read. The result is 0 when all agree.
int compare_diagnostics(const std::string& folder, const std::string& only, std::ostream& out);

}  // namespace tool
