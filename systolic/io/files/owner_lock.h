// A folder that one run owns at a time: a lock file in it, which names its owner and goes with it,
// however it ends.
//
//   const io::OwnerLock lock("run/owner.lock", "BackupAndRestore");
#pragma once

#include <string>
#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace io {

class OwnerLock {
 public:
  // Makes and locks the file, and writes host and process into it. A FailedPrecondition of `who`
  // names the owner that lives; a dead one's lock is taken over. Where the file system has no locks
  // an owner of this host is dead when its process is gone, and one of another host is taken to
  // live. Locks of the local disk and of NFS reach all who see the file; those of some other
  // network file systems only programs of one host.
  OwnerLock(const std::string& path, std::string_view who,
            SourceLocation location = SourceLocation::current());
  // Removes the file.
  ~OwnerLock();
  OwnerLock(const OwnerLock&) = delete;
  OwnerLock& operator=(const OwnerLock&) = delete;

  // "process 4711 on node-3", whose lock was taken over; empty where there was none.
  const std::string& dead_owner() const { return dead_owner_; }

 private:
  std::string path_, dead_owner_;
  int descriptor_ = -1;
};

}  // namespace io
}  // namespace systolic::inline v0
