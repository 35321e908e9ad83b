// Foreign functions as functions that programs may call.
#pragma once

#include <string>

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// From now on custom_call may name the handler (runtime/custom_function.h). A handler of a
// different major version of the interface is an InvalidArgument.
void register_handler(std::string name, Handler* handler);

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
