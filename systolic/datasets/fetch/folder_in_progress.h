// A folder on the local disk while a data set is downloaded and unpacked into it.
//
//   FolderInProgress progress("beans", location);   // makes it; waits for others that fill it
//   if (progress.is_alone()) { download(...); extract_archive(...); progress.finish(); }
//
// From the first file to finish() it holds a file ".incomplete": what an interrupted run leaves is
// never taken for the data set, and the next run continues with it.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace datasets {

class FolderInProgress {
 public:
  // Errors are those of the file system.
  FolderInProgress(const std::string& folder, SourceLocation location);
  ~FolderInProgress();
  FolderInProgress(const FolderInProgress&) = delete;
  FolderInProgress& operator=(const FolderInProgress&) = delete;

  // False where another process finished the folder while this one waited for it.
  bool is_alone() const { return alone_; }
  void finish();

 private:
  std::string marker_;
  SourceLocation location_;
  int file_ = -1;  // locked as long as it is open
  bool alone_ = false;
};

// Whether `folder`, or the one that it lies in, is unfinished. For the local disk only.
bool is_in_progress(const std::string& folder, SourceLocation location);

}  // namespace datasets
}  // namespace systolic::inline v0
