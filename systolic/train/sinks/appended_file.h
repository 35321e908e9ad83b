// A file that grows while a run lasts, and that others read meanwhile. Internal to train.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {

// Opened, with its folders, at the first append(). Where files cannot grow, as on gs://, the whole
// is written each time.
class AppendedFile {
 public:
  AppendedFile() = default;
  // `keeps`: what the file has; it is emptied otherwise.
  AppendedFile(std::string path, bool keeps, SourceLocation location)
      : path_(std::move(path)), keeps_(keeps), location_(location) {}

  // The bytes are there for readers when it returns; none of them where it throws: Unavailable, or
  // ResourceExhausted on a full disk.
  void append(const std::string& bytes);

 private:
  // A descriptor that is closed with the last of its owners.
  class Local;
  void append_whole(const std::string& bytes);

  std::string path_;
  bool keeps_ = false;
  SourceLocation location_;
  std::shared_ptr<Local> local_;
  std::string whole_;  // where files cannot grow
  bool begun_ = false;
};

}  // namespace systolic::inline v0
