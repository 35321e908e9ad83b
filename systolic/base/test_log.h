// For tests: what is logged.
#pragma once

#include <string>

#include "systolic/base/log.h"

namespace systolic {

// Keeps what is logged while it lives, a line a message, instead of showing it.
class CaughtLog {
 public:
  CaughtLog()
      : previous_(set_log_sink([this](LogLevel, std::string_view text) {
          lines_ += text;
          lines_ += '\n';
        })) {}
  ~CaughtLog() { set_log_sink(previous_); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;

  const std::string& lines() const { return lines_; }

 private:
  std::string lines_;
  LogSink previous_;
};

}  // namespace systolic
