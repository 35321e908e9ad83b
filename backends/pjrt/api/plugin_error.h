// A plugin's errors as ours: its code chooses the class, its text is kept.
#pragma once

#include <string>

#include "backends/pjrt/api/api.h"

namespace systolic::inline v0 {
namespace pjrt {

struct PluginError {
  abi::Code code = abi::Code::unknown;
  std::string message;  // never empty; long ones are cut
};

// "NOT_FOUND"; "code 77" for one that we do not know.
std::string code_name(abi::Code code);

// What the plugin says about an error, which stays the caller's. Whatever the plugin does wrong
// here (no message, no code, a missing function), there is a text.
PluginError read_error(const Api& api, const abi::Error* error);

// Throws it as: cancelled Cancelled, deadline_exceeded DeadlineExceeded, not_found NotFound,
// permission_denied and unauthenticated PermissionDenied, resource_exhausted ResourceExhausted,
// failed_precondition FailedPrecondition, out_of_range OutOfRange, unimplemented Unimplemented,
// aborted and unavailable Unavailable, data_loss DataLoss, invalid_argument and already_exists
// InvalidArgument, all else Internal. Compilers report a program that is not StableHLO as
// `unknown`; from a function that compiles, that is an InvalidArgument too.
[[noreturn]] void raise_plugin_error(const Api& api, const PluginError& error, const char* call);

}  // namespace pjrt
}  // namespace systolic::inline v0
