// A safetensors file that has all its bytes but not yet its name, for callers that write several.
#pragma once

#include <map>
#include <string>

#include "systolic/core/example.h"
#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {

// What write_safetensors writes; the caller commits it.
AtomicFile put_safetensors(const std::string& path, const Example& tensors,
                           const std::map<std::string, std::string>& metadata,
                           SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
