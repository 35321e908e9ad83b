// A file that grows while a run lasts, and that others read meanwhile. Internal to train.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

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

  // The bytes are there for readers when it returns. Unavailable or ResourceExhausted where they
  // cannot be written.
  void append(const std::string& bytes);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void open_local();

  std::string path_;
  bool keeps_ = false;
  SourceLocation location_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string whole_;  // where files cannot grow
  bool begun_ = false;
};

}  // namespace systolic::inline v0
