#include "tools/conformance/diagnostics.h"

#include <algorithm>
#include <optional>
#include <ostream>
#include <sstream>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/verify/verify.h"
#include "tools/conformance/find_programs.h"

namespace tool {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

// A program of a file, behind as many empty lines as the file has before it, so that places are
// the file's; and the error that its comments expect.
struct Case {
  int first_line = 1;
  std::string text, expected;
  bool empty = true;  // but for comments
};

std::vector<Case> cases_of(const std::string& text) {
  constexpr std::string_view mark = "expected-error";
  std::vector<Case> cases(1);
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("// -----", 0) == 0) {
      cases.push_back({number + 1, std::string(static_cast<size_t>(number), '\n'), {}});
      continue;
    }
    Case& last = cases.back();
    last.text += line + "\n";
    const std::string_view written = trim(line);
    if (!written.empty() && written.substr(0, 2) != "//") last.empty = false;
    const size_t at = line.find(mark);
    if (at != std::string::npos && last.expected.empty()) last.expected = line.substr(at);
  }
  return cases;
}

// Why the program is refused; nothing where it is taken.
std::optional<std::string> refusal_of(const Case& program, const std::string& name) {
  try {
    stablehlo::verify(stablehlo::parse(program.text, name));
  } catch (const Error& error) {
    std::string says = error.what();
    std::replace(says.begin(), says.end(), '\n', ' ');
    return says;
  }
  return std::nullopt;
}

}  // namespace

int compare_diagnostics(const std::string& folder, const std::string& only, std::ostream& out) {
  int agree = 0, taken = 0, refused = 0;
  for (const fs::path& file : find_programs(folder, only, {".mlir"})) {
    const std::string name = fs::relative(file, folder).string();
    for (const Case& program : cases_of(io::read_file(file.string()))) {
      if (program.empty) continue;
      const std::optional<std::string> refusal = refusal_of(program, name);
      if (refusal.has_value() == !program.expected.empty()) {
        ++agree;
      } else if (refusal) {
        ++refused;
        out << "refused: " << *refusal << "\n";
      } else {
        ++taken;
        out << "taken: " << name << ":" << program.first_line << ": " << program.expected << "\n";
      }
    }
  }
  out << agree << " programs agree, " << taken << " are taken though upstream refuses them, "
      << refused << " are refused though upstream takes them\n";
  return taken + refused == 0 ? 0 : 1;
}

}  // namespace tool
