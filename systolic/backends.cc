// The one file that names the backends.
#include <cstdlib>

#include "backends/cpu/client.h"
#include "systolic/base/error.h"
#include "systolic/runtime/open_client.h"

namespace systolic::inline v0 {
namespace runtime {

ClientPtr open_client(const ClientOptions& options) {
  std::string backend = options.backend;
  if (backend.empty()) {
    const char* wanted = std::getenv("SYSTOLIC_BACKEND");
    if (wanted != nullptr) backend = wanted;
  }
  if (backend.empty() || backend == "software_tpu" || backend == "cpu") {
    return cpu::open_software_tpu(options.tpu, options.cores);
  }
  raise<InvalidArgument>({.what = str("there is no backend '", backend, "'"),
                          .wanted = "software_tpu",
                          .hint = "unset SYSTOLIC_BACKEND"});
}

}  // namespace runtime
}  // namespace systolic::inline v0
