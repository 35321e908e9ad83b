// A record as text in a file: lines of a word and what it says, which people can read, and
// read_crash_file() does.
#pragma once

#include "systolic/monitor/crash/crash_record.h"

namespace systolic::inline v0 {
namespace monitor {

inline constexpr std::string_view crash_file_begin = "systolic crash 1";

// Safe in signal handlers. `file` stays open.
void write_record(int file, const CrashRecord& record);

}  // namespace monitor
}  // namespace systolic::inline v0
