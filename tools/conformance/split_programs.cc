#include "tools/conformance/split_programs.h"

#include <sstream>
#include <string_view>

#include "systolic/base/text.h"

namespace tool {

using systolic::trim;

std::vector<SplitProgram> split_programs(const std::string& text) {
  constexpr std::string_view mark = "expected-error";
  std::vector<SplitProgram> programs(1);
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("// -----", 0) == 0) {
      programs.push_back({number + 1, std::string(static_cast<size_t>(number), '\n'), {}});
      continue;
    }
    SplitProgram& last = programs.back();
    last.text += line + "\n";
    const std::string_view written = trim(line);
    if (!written.empty() && written.substr(0, 2) != "//") last.empty = false;
    const size_t at = line.find(mark);
    if (at != std::string::npos && last.expected.empty()) last.expected = line.substr(at);
  }
  return programs;
}

}  // namespace tool
