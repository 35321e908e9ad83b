// What Google Cloud's metadata server says of the virtual machine that this runs on
// (cloud.google.com/compute/docs/metadata/querying-metadata).
#pragma once

#include <optional>
#include <string>

namespace systolic::inline v0 {
namespace storage {

// instance/attributes/NAME of the server at `host`, of at most 1 MiB; nothing where no metadata
// server answers there or the machine has no such attribute. Passing faults are tried again for
// some seconds; Unavailable where the server answers but not with the attribute.
std::optional<std::string> instance_attribute(const std::string& name, const std::string& host);

}  // namespace storage
}  // namespace systolic::inline v0
