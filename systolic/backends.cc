// The one file that names the backends.
#include <cstdlib>

#include "backends/cpu/client.h"
#include "backends/interpreter/client.h"
#include "systolic/base/error.h"
#include "systolic/runtime/open_client.h"

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

}  // namespace runtime
}  // namespace systolic::inline v0
