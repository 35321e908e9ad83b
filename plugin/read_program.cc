#include "plugin/read_program.h"

#include <string>

#include "systolic/base/error.h"
#include "systolic/stablehlo/bytecode/bytecode.h"
#include "systolic/stablehlo/parse.h"

namespace systolic::inline v0 {
namespace plugin {

stablehlo::Program read_program(std::string_view format, std::string_view bytes) {
  if (format != "mlir") {
    raise<Unimplemented>(
        {.what = str("a program in the format ", format), .wanted = "mlir: StableHLO"});
  }
  if (stablehlo::is_bytecode(bytes)) {
    return stablehlo::read_bytecode(std::string(bytes), "program.mlirbc");
  }
  return stablehlo::parse(std::string(bytes), "program.mlir");
}

}  // namespace plugin
}  // namespace systolic::inline v0
