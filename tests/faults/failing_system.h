// A system whose calls fail when a test says so. It stands in place of the C library's functions in
// the program that it is linked into, for files of tests' folders (io/files/test_files.h) and for
// threads; everything else goes through.
//
//   FailingSystem failing({.call = SystemCall::fsync, .number = 3, .error = EIO});
//   save();              // whose third fsync fails
//   failing.failed()     // whether there was a third
#pragma once

#include <cstdint>
#include <string_view>

namespace systolic {

enum class SystemCall : uint8_t { open, write, fsync, rename, mkdir, unlink, thread };
constexpr std::string_view name_of(SystemCall call) {
  constexpr std::string_view names[] = {"open",  "write",  "fsync", "rename",
                                        "mkdir", "unlink", "thread"};
  return names[static_cast<size_t>(call)];
}

struct Fault {
  SystemCall call = SystemCall::open;
  int64_t number = 1;      // which call fails, counted from 1
  int error = 0;           // its errno; kills_process: SIGKILL comes before it
  bool and_later = false;  // those after it fail, too
};

inline constexpr int kills_process = -1;

// One at a time.
class FailingSystem {
 public:
  explicit FailingSystem(const Fault& fault);
  ~FailingSystem();
  FailingSystem(const FailingSystem&) = delete;
  FailingSystem& operator=(const FailingSystem&) = delete;

  bool failed() const;
};

}  // namespace systolic
