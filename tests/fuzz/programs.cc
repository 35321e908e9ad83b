// The readers of programs, and what runs them.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/error.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/import/import.h"
#include "systolic/stablehlo/parse.h"
#include "systolic/stablehlo/print.h"
#include "tests/fuzz/targets.h"

namespace fuzz {
namespace {

using namespace systolic;

constexpr int64_t most_elements = 4096;  // of a value that is interpreted
constexpr int64_t most_ops = 20'000;     // that are run, with repetitions
constexpr size_t most_values = 2'000;    // of a program that is run
constexpr int64_t most_cores = 8;

// What is wrong besides an Error ends the program that fuzzes.
void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void import(const stablehlo::Program& program) {
  try {
    ir::verify(stablehlo::import_module(program));
  } catch (const Error&) {
  }
}

bool small(const ir::Module& module) {
  if (module.num_replicas > most_cores || module.num_partitions > most_cores) return false;
  for (const ir::Function& function : module.functions) {
    if (function.types.size() > most_values) return false;
    for (const ir::Type& type : function.types) {
      if (type.shape.elements() > most_elements) return false;
    }
  }
  return true;
}

std::vector<Literal> zeros_for(const ir::Module& module) {
  const ir::Function& main = module.main();
  std::vector<Literal> arguments;
  for (size_t i = 0; i < main.body.arguments.size(); ++i) {
    const ir::Type& type = main.type(main.body.arguments[i]);
    const bool split = module.num_replicas > 1 && !main.arguments[i].uniform;
    arguments.push_back(Literal::zeros(
        type.dtype, split ? type.shape.with_inserted(0, module.num_replicas) : type.shape));
  }
  return arguments;
}

}  // namespace

void text(std::string_view bytes) {
  try {
    const stablehlo::Program program = stablehlo::parse(std::string(bytes));
    const std::string printed = stablehlo::program_text(program);
    std::string again;
    try {
      again = stablehlo::program_text(stablehlo::parse(printed));
    } catch (const Error&) {
      require(false, "what was read prints a text that cannot be read");
    }
    require(again == printed, "what was read prints a text that is read as another");
    import(program);
  } catch (const Error&) {
  }
}

void bytecode(std::string_view bytes) {
  try {
    const stablehlo::Program program = stablehlo::read_bytecode(std::string(bytes));
    stablehlo::program_text(program);
    import(program);
  } catch (const Error&) {
  }
}

void program(std::string_view bytes) {
  try {
    const ir::Module module = stablehlo::import_module(stablehlo::parse(std::string(bytes)));
    ir::verify(module);
    if (!small(module)) return;
    interpreter::evaluate(module, zeros_for(module), {.most_ops = most_ops});
  } catch (const Error& error) {
    // What was verified has no faults that only its run finds, except those of its values.
    require(std::string_view(error.kind()) != "Internal", error.what());
  }
}

}  // namespace fuzz
