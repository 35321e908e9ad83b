#include "tools/systolic/program_file.h"

#include "systolic/io/file.h"
#include "systolic/stablehlo/bytecode/read_program.h"

namespace tool {

using namespace systolic;

stablehlo::Program program_of_file(const std::string& path) {
  return stablehlo::read_program(io::read_file(path), path);
}

}  // namespace tool
