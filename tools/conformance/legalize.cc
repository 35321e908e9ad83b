#include "tools/conformance/legalize.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/verify/verify.h"
#include "tools/conformance/split_programs.h"

namespace tool {
namespace {

using namespace systolic;

bool leaves_sizes_open(const stablehlo::Program& program) {
  return std::any_of(program.types.begin(), program.types.end(), [](const auto& type) {
    return type.unranked || std::find(type.dims.begin(), type.dims.end(),
                                      stablehlo::dynamic_size) != type.dims.end();
  });
}

// Whether it became ops of StableHLO. Throws what is wrong with it.
bool legalize(const SplitProgram& split, const std::string& name) {
  const stablehlo::Program program = stablehlo::parse(split.text, name);
  stablehlo::verify(program);
  const bool open = leaves_sizes_open(program);
  for (const stablehlo::Function& function : program.functions) {
    if (open && split.expected.empty()) continue;
    ir::verify(stablehlo::import_module(program, {.entry = &function}));
  }
  return !open;
}

}  // namespace

Legalized legalize_file(const std::string& text, const std::string& name) {
  Legalized result;
  for (const SplitProgram& program : split_programs(text)) {
    if (program.empty) continue;
    ++result.read;
    std::optional<std::string> wrong;
    try {
      const bool made = legalize(program, name);
      if (program.expected.empty()) result.made += made;
    } catch (const Error& error) {
      wrong = str(error.kind(), ": ", error.what());
    }
    if (wrong.has_value() != program.expected.empty() || result.failure.has_value()) continue;
    result.failure = wrong.value_or(str(program.first_line, ": is taken, but ", program.expected));
    std::replace(result.failure->begin(), result.failure->end(), '\n', ' ');
  }
  return result;
}

}  // namespace tool
