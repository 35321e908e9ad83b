// Removes a folder of files.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

// The file called `first` goes first, so that whoever looks for it never finds the folder in part;
// then the others, then the folder. A folder that is not there is none to remove; one that holds
// folders stays, with them.
void remove_folder(const std::string& folder, const std::string& first,
                   SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
