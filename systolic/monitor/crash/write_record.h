// A record as text in a file: lines of a word and what it says, which people can read, and
// read_crash_file() does.
#pragma once

#include "systolic/monitor/crash/crash_record.h"

namespace systolic::inline v0 {
namespace monitor {

// Then come what it holds in numbers, so that a file that was cut is known to be, and the last
// line. Version 1 has neither.
inline constexpr std::string_view crash_file_begin = "systolic crash 2",
                                  old_crash_file_begin = "systolic crash 1", crash_file_end = "end";

// Safe in signal handlers. `file` stays open. False where the disk did not take all of it.
bool write_record(int file, const CrashRecord& record);

}  // namespace monitor
}  // namespace systolic::inline v0
