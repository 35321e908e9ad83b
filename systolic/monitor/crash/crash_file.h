// The file that a run leaves where it dies. It is there while the run lasts; one that ends in
// order removes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/monitor/crash/crash_record.h"
#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

// Where they lie: what SYSTOLIC_CRASH names, else "$XDG_STATE_HOME/systolic", else
// "~/.local/state/systolic", else, without a home, "/tmp/systolic-crashes-UID". "": "off" says that
// nothing is to be written.
std::string crash_folder();

// Those that are there, the newest first; of runs that still run, too.
std::vector<std::string> crash_files(const std::string& folder = crash_folder());

class CrashFile {
 public:
  // Makes "PROGRAM_PROCESS_RUN.crash", which only this user can read, and removes the oldest where
  // there are more than 20. Unavailable where that cannot be.
  CrashFile(const std::string& folder, const CrashRecord& record);
  // Removes it, unless it is kept, or this is a process that was forked from the run's.
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  // False where the disk did not take all of it.
  bool write(const CrashRecord& record) const;
  void keep() { kept_ = true; }
  int number() const { return file_.number(); }
  const std::string& path() const { return path_; }

 private:
  int64_t process_;
  std::string path_;
  Descriptor file_;
  bool kept_ = false;
};

}  // namespace monitor
}  // namespace systolic::inline v0
