// Helpers of this folder's tests.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic {

// A folder of its own for one test, removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "systolic-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Writes a file without the care (and the waiting for the disk) of io::write_file.
inline void put_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The text of the error that `body` throws, or "no error".
inline std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind() + ": " + error.what();
  }
  return "no error";
}

// Keeps what is logged while it lives.
class CaughtLog {
 public:
  CaughtLog()
      : previous_(set_log_sink([this](LogLevel, std::string_view text) {
          lines_ += text;
          lines_ += '\n';
        })) {}
  ~CaughtLog() { set_log_sink(previous_); }
  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
  LogSink previous_;
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_CONTAINS(text, part) EXPECT_PRED2(::systolic::contains, text, part)

}  // namespace systolic
