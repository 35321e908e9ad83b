// Files that hold several test programs, between lines of "// -----".
#pragma once

#include <string>
#include <vector>

namespace tool {

struct SplitProgram {
  int first_line = 1;
  // After as many empty lines as the file has before it, so that places are the file's.
  std::string text;
  std::string expected;  // the error that its comments expect, from "expected-error" on
  bool empty = true;     // except comments
};

std::vector<SplitProgram> split_programs(const std::string& text);

}  // namespace tool
