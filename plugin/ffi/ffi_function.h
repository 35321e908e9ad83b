// Foreign functions as functions that programs may call.
#pragma once

#include <string>

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

// From now on custom_call may name the function (runtime/custom_function.h). A handler of a
// different major version of the interface is an InvalidArgument, and so is a function without one
// that executes.
void register_handlers(std::string name, const HandlerBundle& handlers);

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
