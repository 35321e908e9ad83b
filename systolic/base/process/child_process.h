// Work that may end the process it runs in, in a process of its own.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace systolic::inline v0 {

struct ChildResult {
  std::vector<std::string> fields;  // what `work` returned
  // Else:
  bool timed_out = false;
  int signal = 0;   // that ended it
  int status = 0;   // it ended with
  std::string log;  // the end of what it wrote to stdout and stderr
};

// Forks, runs `work` in the child, and returns what it returns. An Error that it throws is thrown
// here, with the same kind. The child sees this process's memory as it is now but none of its other
// threads; it dies with this process.
ChildResult run_in_child(const std::function<std::vector<std::string>()>& work,
                         double deadline_seconds);

}  // namespace systolic::inline v0
