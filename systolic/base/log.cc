#include "systolic/base/log.h"

#include <cstdio>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>

#include "systolic/base/live_line.h"
#include "systolic/base/terminal.h"

namespace systolic::inline v0 {
namespace {

struct LogState {
  std::mutex mutex;
  LogSink sink;
  std::unordered_set<std::string> said;
};

LogState& state() {
  static LogState instance;
  return instance;
}

// Terminals understand this since the VT100: to the first column, and erase from there.
constexpr std::string_view erase_line = "\r\x1b[K";

const char* prefix(LogLevel level) {
  switch (level) {
    case LogLevel::info:
      return "";
    case LogLevel::warning:
      return "WARNING: ";
    case LogLevel::error:
      return "ERROR: ";
  }
  return "";
}

void write_line(LogState& target, LogLevel level, std::string_view text) {
  if (target.sink) {
    target.sink(level, text);
    return;
  }
  std::string line;
  if (LiveLine::any() && terminal_columns(STDERR_FILENO) > 0) line += erase_line;
  line += prefix(level);
  line += text;
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

void log(LogLevel level, std::string_view text) {
  std::lock_guard lock(state().mutex);
  write_line(state(), level, text);
}

void log_once(LogLevel level, std::string_view text) {
  std::lock_guard lock(state().mutex);
  if (state().said.emplace(text).second) write_line(state(), level, text);
}

LogSink set_log_sink(LogSink sink) {
  std::lock_guard lock(state().mutex);
  return std::exchange(state().sink, std::move(sink));
}

}  // namespace systolic::inline v0
