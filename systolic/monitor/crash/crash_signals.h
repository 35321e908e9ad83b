// What kills this process is written into the files of its runs first.
#pragma once

#include "systolic/monitor/crash/crash_record.h"

namespace systolic::inline v0 {
namespace monitor {

// From now on a signal that kills (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGABRT and Ctrl-\),
// and an exception that nobody catches, complete the records that are registered. The process dies
// as it would have. Signals for which the program has a handler of its own are left to it.
void catch_crashes();

// Where the stack of the calling thread overflows, the handler needs another: once for each thread.
void give_handlers_a_stack();

// A record that is written to `file` where the process dies, with one line on stderr that says
// `path`. At most eight at a time; more are left out. All three live until release_record().
void register_record(CrashRecord& record, int file, const char* path);
void release_record(const CrashRecord& record);

}  // namespace monitor
}  // namespace systolic::inline v0
