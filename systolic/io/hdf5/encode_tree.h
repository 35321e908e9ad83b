// The tree that the worker is sent of a new file.
#pragma once

#include <string>

#include "systolic/io/hdf5/hdf5.h"

namespace systolic::inline v0 {
namespace io {

// The datasets of a group come before its groups. What HDF5 cannot hold is an InvalidArgument
// (see Hdf5Layout).
std::string encode_tree(const Hdf5Group& root, SourceLocation location);

}  // namespace io
}  // namespace systolic::inline v0
