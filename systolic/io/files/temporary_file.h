// The file that is written in place of the final one until it is whole: next to it, as
// "NAME.tmp-HOST-0", locked as long as its writer lives. What a killed writer left is recognized by
// the lock, which went with it, and is removed by the next writer: process numbers are used again,
// and mean nothing to another container or host. HOST stands for this machine: locks may not reach
// others.
#pragma once

#include <string>

namespace systolic::inline v0 {
namespace io {

struct TemporaryFile {
  std::string path;
  int descriptor = -1;  // empty and writable, as long as nobody else closes it; or -1, and errno
};

// For the file `path`. The caller renames or removes it before closing it. Where a file system has
// no locks, nothing that was left is removed.
TemporaryFile open_temporary_file(const std::string& path);

}  // namespace io
}  // namespace systolic::inline v0
