// Shows epochs and their progress: what fit and evaluate do unless verbose is 0.
#pragma once

#include <iosfwd>

#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

// By RunBegin::verbose: 1, a live bar on a terminal, a line an epoch in a file; 2, a line an epoch,
// without a bar. Writes to `out`.
EventSinkPtr ProgressSink(std::ostream& out, bool terminal);
// fit to standard output, whose report its epochs are; evaluate to standard error, since its result
// is what it returns, and standard output may be in the middle of the program's own line. Each is
// asked whether it is a terminal.
EventSinkPtr ProgressSink();

}  // namespace systolic::inline v0
