// What is looked at before a file of Keras's is read. Internal.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/io/archive/zip.h"

namespace systolic::inline v0 {
namespace saving {

// DataLoss for a member that would lie outside of the archive: "/etc/x", "../x". Nothing is
// unpacked here, but no program that saves models writes one.
void check_member_names(const io::ZipReader& archive, const std::string& path,
                        SourceLocation location);

// A warning where `version` ("3.15.0") is of a later Keras than the one whose files are known.
void warn_of_later_keras(const std::string& version, const std::string& path);

}  // namespace saving
}  // namespace systolic::inline v0
