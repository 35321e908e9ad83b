// Opening a backend by name. Declared here, defined in systolic/backends.cc, the one file that
// names the backends: whoever links systolic_backends has them.
#pragma once

#include <string>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

struct ClientOptions {
  // "": the best that opens here (SYSTOLIC_BACKEND in the environment names another);
  // "software_tpu", "interpreter".
  std::string backend = "";
  std::string tpu = "v3-8";  // kind of the software TPU
  int cores = 0;             // 0: all of the kind's
};

ClientPtr open_client(const ClientOptions& options = {});

}  // namespace runtime
}  // namespace systolic::inline v0
