// Files from the network, identified by their SHA-256 or MD5.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/datasets/fetch/catalog.h"

namespace systolic::inline v0 {
namespace datasets {

// Fetches a file into `folder` on the local disk, under the last part of its address, and returns
// its path; one that is there and has the right digest, or has none to check, is left alone. Until
// it is whole it lies under "<name>.part", and the next call resumes it. A file of another digest
// is removed and a DataLoss; other errors are those of the address' file system.
std::string download(const Download& file, const std::string& folder,
                     SourceLocation location = SourceLocation::current());

}  // namespace datasets
}  // namespace systolic::inline v0
