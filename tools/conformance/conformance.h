// systolic conformance: runs a folder of StableHLO test programs.
#pragma once

#include <iosfwd>
#include <string>

namespace tool {

struct ConformanceOptions {
  std::string folder;
  std::string backend = "interpreter";  // or "cpu"
  std::string only;                     // a part of the paths to run
  double deadline_seconds = 60;         // of a file
  bool diagnostics = false;             // compare_diagnostics (diagnostics.h) instead
};

// Reads every .mlir and .mlirbc file under `folder`, runs it on `backend` and prints a table by op
// family with the first mismatch of each, the files that failed, those that were skipped and why,
// and last "N passed, N failed, N skipped". Files run in other processes: one that loops beyond the
// deadline, or ends its process, has failed.
//
// A file whose RUN line interprets it must hold in all its checks; one that is only parsed there is
// read, printed and read again. One whose RUN line is disabled, and that does not hold, counts as
// one that is only parsed, and is named with what differs. A file without RUN lines, as bytecode,
// is run, or only read where its main takes arguments. What passed without a check is named with
// the reason; what holds no function, or neither RUN line nor check, is skipped. The result is 0
// when none failed.
int run_conformance(const ConformanceOptions& options, std::ostream& out);

}  // namespace tool
