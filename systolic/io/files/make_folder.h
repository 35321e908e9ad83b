// Makes folders to write files into.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// With those above it. Only the local disk has folders that must be there before a file in them:
// of other schemes it is checked that they are known.
void make_folder(const std::string& path, SourceLocation location = SourceLocation::current());

// That in which the file is to lie.
void make_folder_of(const std::string& file, SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
