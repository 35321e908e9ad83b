// Files from the network, known by their SHA-256.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/datasets/fetch/catalog.h"

namespace systolic::inline v0 {
namespace datasets {

// Fetches a file into `folder` of the local disk, under the last part of its address, and returns
// its path; one that is there and has the right digest is left. What was fetched lies under
// "<name>.part" until it is whole: the next call takes it up where it ended. A file of another
// digest is removed and a DataLoss; else the errors are those of the address' file system.
std::string download(const Download& file, const std::string& folder,
                     SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
