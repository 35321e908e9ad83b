// For tests: what is logged.
#pragma once

#include <string>

#include "systolic/base/log.h"

namespace systolic {

// Keeps what is logged while it lives, a line a message, instead of showing it.
class CaughtLog {
 public:
  CaughtLog()
      : previous_(set_log_sink([this](LogLevel level, std::string_view text) {
          lines_.append(text) += '\n';
          if (level == LogLevel::warning) warnings_.append(text) += '\n';
        })) {}
  ~CaughtLog() { set_log_sink(previous_); }
  CaughtLog(const CaughtLog&) = delete;
  CaughtLog& operator=(const CaughtLog&) = delete;

  const std::string& lines() const { return lines_; }
  const std::string& warnings() const { return warnings_; }  // of the lines

 private:
  std::string lines_, warnings_;
  LogSink previous_;
};

}  // namespace systolic
