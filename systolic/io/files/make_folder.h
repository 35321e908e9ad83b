// Makes folders to write files into.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// Makes the folder and those above it. Only the local disk has folders that must exist before a
// file in them: for other schemes it checks that they are known.
void make_folder(const std::string& path, SourceLocation location = SourceLocation::current());

// The folder that the file is to lie in.
void make_folder_of(const std::string& file, SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
