#include "systolic/stablehlo/bytecode/read_program.h"

#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace stablehlo {

Program read_program(std::string bytes, std::string file) {
  if (is_bytecode(bytes)) return read_bytecode(std::move(bytes), std::move(file));
  return parse(std::move(bytes), std::move(file));
}

std::vector<Program> read_programs(std::string bytes, const std::string& file) {
  if (!is_bytecode(bytes)) return parse_all(bytes, file);
  std::vector<Program> programs;
  programs.push_back(read_bytecode(std::move(bytes), file));
  return programs;
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
