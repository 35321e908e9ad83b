// Bytes of a file from one place to another.
#pragma once

#include <memory>
#include <string>

#include "systolic/io/files/file.h"

namespace systolic::inline v0 {
namespace io {

// Reads up to `size` bytes from `offset`; fewer only at the end of the file. Memory grows with what
// really comes, so that a size that a server or a header claims is harmless.
std::shared_ptr<const std::string> read_range(File& file, uint64_t offset, uint64_t size);

// The whole file, never decompressed: settings, a vocabulary, an index. ResourceExhausted for more
// than `most_bytes`; InvalidArgument, at once, for a directory, a device or a pipe.
std::string read_file_of_at_most(const std::string& path, uint64_t most_bytes,
                                 SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
