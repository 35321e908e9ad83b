// The error for a folder that lacks what a caller looks for in it.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// A NotFound: "no <what> in '<folder>'", which says whether there is such a folder. `what`:
// "model".
[[noreturn]] void raise_folder_without(const char* what, const std::string& folder,
                                       const std::string& wanted, SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
