// The keys that all processes of a run see, as the functions that a plugin calls.
#pragma once

#include "backends/pjrt/api/api.h"
#include "systolic/runtime/shared_keys.h"

namespace systolic::inline v0 {
namespace pjrt {

// Sets the functions and their argument. `keys` lives as long as the client that is created.
void set_key_values(abi::ClientCreateArgs& args, runtime::SharedKeys& keys);

}  // namespace pjrt
}  // namespace systolic::inline v0
