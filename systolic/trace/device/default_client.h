// The client that traces are compiled for: opened at first use, or set by initialize_tpu_system.
#pragma once

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {

// Opens the best backend at first use (runtime::open_client). Thread-safe.
runtime::ClientPtr default_client();
// The one in use; nullptr where none is open yet. Does not open one.
runtime::ClientPtr default_client_if_open();
// Programs traced from now on run on `client`. Returns the previous client, if one was open, and
// forgets its compiled programs.
runtime::ClientPtr set_default_client(runtime::ClientPtr client);

}  // namespace systolic::inline v0
