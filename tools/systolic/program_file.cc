#include "tools/systolic/program_file.h"

#include <filesystem>

#include "systolic/base/error.h"
#include "systolic/io/file.h"
#include "systolic/stablehlo/bytecode/read_program.h"

namespace tool {

using namespace systolic;

std::string program_bytes(const std::string& path) {
  if (path == "-") return io::read_file("/dev/stdin");
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    raise<InvalidArgument>({.what = str("'", path, "' is a directory"),
                            .wanted = "a file with a StableHLO program, as text or bytecode",
                            .hint = "`systolic conformance DIR` runs a folder of test programs"});
  }
  return io::read_file(path);
}

stablehlo::Program program_of_file(const std::string& path) {
  return stablehlo::read_program(program_bytes(path), path);
}

}  // namespace tool
