#include "tools/systolic/program_file.h"

#include <fstream>
#include <iterator>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/parse.h"

namespace tool {

using namespace systolic;

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (file.bad() || !file.is_open()) {
    raise<NotFound>({.what = str("cannot read '", path, "'"), .wanted = "a StableHLO program"});
  }
  return bytes;
}

stablehlo::Program program_of_file(const std::string& path) {
  std::string bytes = bytes_of_file(path);
  if (stablehlo::is_bytecode(bytes)) return stablehlo::read_bytecode(std::move(bytes), path);
  return stablehlo::parse(std::move(bytes), path);
}

}  // namespace tool
