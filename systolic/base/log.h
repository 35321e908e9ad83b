// Lines for the person at the terminal: to stderr, one line a call, whole lines even from several
// threads.
#pragma once

#include <functional>
#include <string_view>

namespace systolic::inline v0 {

// How much a line matters: "WARNING: " or "ERROR: " begins lines of the latter two.
enum class LogLevel { info, warning, error };

// Prints "WARNING: text" (no prefix for info). Never throws.
void log(LogLevel level, std::string_view text);
inline void log_info(std::string_view text) { log(LogLevel::info, text); }
inline void log_warning(std::string_view text) { log(LogLevel::warning, text); }
// The same, but each distinct text is printed only once in the life of the process.
void log_once(LogLevel level, std::string_view text);

// Where lines go, so that tests can catch them. An empty function restores stderr. Returns the
// previous one.
using LogSink = std::function<void(LogLevel, std::string_view)>;
LogSink set_log_sink(LogSink sink);

}  // namespace systolic::inline v0
