// What foreign functions may ask for while they run: errors, memory, the number of threads.
#pragma once

#include <string>

#include "plugin/ffi/ffi_abi.h"

namespace systolic::inline v0 {
namespace plugin {
namespace ffi {

const Table& table();

// For handlers to return.
Error* new_error(Code code, std::string message);

// Throws what a handler returned, and frees it; null means no error.
void raise_error(const char* function, Error* error);

}  // namespace ffi
}  // namespace plugin
}  // namespace systolic::inline v0
