// Errors as callers get them: a code and a message.
#pragma once

#include <string>

#include "plugin/handle.h"

namespace systolic::inline v0 {
namespace plugin {

// The error for the exception that is being handled; never throws.
abi::Error* current_error() noexcept;

void destroy(abi::Error* error) noexcept;
const std::string& message(const abi::Error* error);
abi::Code code(const abi::Error* error);

}  // namespace plugin
}  // namespace systolic::inline v0
