// The version of this library, for files that it writes.
#pragma once

namespace systolic::inline v0 {
namespace monitor {

extern const char* const library_version;  // "0.1.0"

}  // namespace monitor
}  // namespace systolic::inline v0
