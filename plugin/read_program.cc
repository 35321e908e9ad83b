#include "plugin/read_program.h"

#include <string>

#include "systolic/base/error.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace plugin {

stablehlo::Program read_program(std::string_view format, std::string_view bytes) {
  constexpr std::string_view bytecode_magic = "ML\xefR";
  if (format != "mlir") {
    raise<Unimplemented>(
        {.what = str("a program in the format ", format), .wanted = "mlir: StableHLO"});
  }
  if (bytes.substr(0, bytecode_magic.size()) == bytecode_magic) {
    raise<Unimplemented>({.what = "a program as MLIR bytecode", .wanted = "StableHLO text"});
  }
  return stablehlo::parse(std::string(bytes), "program.mlir");
}

}  // namespace plugin
}  // namespace systolic::inline v0
