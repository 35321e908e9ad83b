// The interpreter as a backend: every runtime::Client operation on host memory, synchronously.
#pragma once

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace interpreter {

// A client with `cores` virtual cores of `kind` (0: all that the kind has). More cores than the
// kind has are an InvalidArgument.
runtime::ClientPtr open_client(const TpuKind& kind, int cores = 0);

}  // namespace interpreter
}  // namespace systolic::inline v0
