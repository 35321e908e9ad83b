// What a foreign function returns when it goes on after its handler has returned.
#pragma once

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// A result that another thread gives: for the table of what handlers may ask for.
Error* future_create(FutureCreateArgs* args);
Error* future_set_available(FutureSetAvailableArgs* args);
Error* future_set_error(FutureSetErrorArgs* args);

// Waits until the future has its result, frees it, and returns its error; null means none. The
// caller keeps arguments, results and options alive until then.
Error* wait_for(Future* future);

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
