#include "tools/conformance/diagnostics.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "systolic/base/error.h"
#include "systolic/io/files/file.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/verify/verify.h"
#include "tools/conformance/find_programs.h"
#include "tools/conformance/split_programs.h"

namespace tool {
namespace {

using namespace systolic;
namespace fs = std::filesystem;

// Why the program is refused; nothing where it is taken.
std::optional<std::string> refusal_of(const SplitProgram& program, const std::string& name) {
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
    for (const SplitProgram& program : split_programs(io::read_file(file.string()))) {
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
