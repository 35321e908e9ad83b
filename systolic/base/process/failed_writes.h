// Writes that fail instead of ending the process.
#pragma once

namespace systolic::inline v0 {

// From now on a write to a pipe or socket that nobody reads (SIGPIPE) is an EPIPE, and one beyond
// the limit of files' sizes (SIGXFSZ, ulimit -f) an EFBIG, where the process would have died of it.
// Handlers of the program's own stay; programs that this one starts die of both as ever.
void survive_failed_writes();

}  // namespace systolic::inline v0
