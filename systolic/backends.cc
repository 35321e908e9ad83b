// The one file that names the backends.
#include <cstdlib>

#include "backends/cpu/client.h"
#include "backends/interpreter/client.h"
#include "backends/pjrt/find_plugin.h"
#include "backends/pjrt/tpu_compiler.h"
#include "systolic/base/error.h"
#include "systolic/runtime/open_client.h"
#include "systolic/runtime/tpu_compiler.h"

namespace systolic::inline v0 {
namespace runtime {

ClientPtr open_client(const ClientOptions& options) {
  std::string backend = options.backend;
  const char* wanted = std::getenv("SYSTOLIC_BACKEND");
  if (backend.empty() && wanted != nullptr) backend = wanted;
  if (backend.empty() || backend == "software_tpu") {
    return cpu::open_software_tpu(options.tpu, options.cores);
  }
  if (backend == "interpreter") {
    return interpreter::open_client(parse_tpu_kind(options.tpu), options.cores);
  }
  raise<InvalidArgument>({.what = str("there is no backend '", backend, "'"),
                          .wanted = "software_tpu or interpreter",
                          .hint = "check ClientOptions::backend and SYSTOLIC_BACKEND"});
}

std::string find_libtpu() { return pjrt::find_libtpu(); }

TpuProgram compile_for_tpu(std::string_view program, const TpuCompileOptions& options) {
  return pjrt::compile_text_for_tpu(program, options);
}
TpuProgram compile_for_tpu(const ir::Module& module, const TpuCompileOptions& options) {
  return pjrt::compile_module_for_tpu(module, options);
}

}  // namespace runtime
}  // namespace systolic::inline v0
