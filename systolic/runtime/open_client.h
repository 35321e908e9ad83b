// Opening a backend by name. Declared here, defined in systolic/backends.cc, the one file that
// names the backends: whoever links systolic_backends has them.
#pragma once

#include <string>
#include <string_view>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

struct ClientOptions {
  // "": the best that opens on this machine (SYSTOLIC_BACKEND in the environment names another).
  // With a name nothing else takes its place: "tpu", "software_tpu", "interpreter",
  // "pjrt:/path/to/plugin.so", "grpc://host:8470" (a device that `systolic serve` serves there).
  std::string backend = "";
  // Kind of the software TPU: with "v5e-8" the client is always that one, as long as no backend is
  // named. "": the TPU of this machine where it has one that opens, else the software TPU v3-8.
  std::string tpu = "";
  int cores = 0;  // 0: all of the kind's
  // The software TPU counts subnormal numbers as 0, as a TPU does. A program that is compared with
  // IEEE 754 keeps them, at tens of cycles for each vector that has one.
  bool keep_subnormals = false;
  bool announce = false;  // say on stderr which one was chosen, and why
};

// The name in SYSTOLIC_BACKEND; "" where it is not set. InvalidArgument where there is no such
// backend; does not try whether it opens.
std::string named_backend();

// InvalidArgument where `name` is not allowed as ClientOptions::backend.
void check_backend(std::string_view name);

// The software TPU of a process that was started as one of several (cluster/place/place.h) has the
// cores of all, once all have come. A TPU that exists but does not open is a warning where the
// software TPU may take its place, and an error where the TPU was named.
ClientPtr open_client(const ClientOptions& options = {});

}  // namespace runtime
}  // namespace systolic::inline v0
