// Names that outlive a power cut: the bytes of a file are safe after fsync, its name only when the
// folder is, too.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// Flushes the folder that a file or a folder lies in, after it was made, renamed or removed there.
// Folders that may not be read, and file systems that flush none, are left alone.
void sync_folder_of(const std::string& path, SourceLocation location = SourceLocation::current());

// The path that a symbolic link leads to, also where nothing lies there yet; a path that is none is
// given back. An error for links that lead nowhere but to each other.
std::string without_links(const std::string& path,
                          SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
