// Writes what happens in a run as lines of JSON (jsonlines.org), for programs that read logs.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

//   .event_sinks = {JSONLines{.filename = "run/log.jsonl", .update_freq = 100}}
//
// An object a line, there for readers at once:
//
//   {"event":"run_begin","time":1790000000.25,"run":1,"name":"mnist","epochs":2,...}
//   {"event":"step_end","time":...,"run":1,"epoch":0,"step":100,"samples":20000,"logs":{"loss":0.5}}
//   {"event":"epoch_end","time":...,"run":1,"epoch":0,"step":300,"samples":60000,"logs":{...}}
//   {"event":"run_end","time":...,"run":1,"step":600,...,"interrupted":false}
//
// and evaluation_end, compilation, recompilation (with its reason), failure, and all that people
// are told (events/event.h). `time` is in seconds since 1970, epochs count from 0, and a step is
// the number of steps done. A number that is not finite is null. A file that cannot be written ends
// no training: one warning says so, and nothing more is written. A loop of your own takes it as a
// sink (events/training_run.h).
struct JSONLines {
  std::string filename;
  int64_t update_freq = 0;  // a line every so many steps, with the logs as they stand; 0: none
  bool append = false;      // to the lines that the file has
  SourceLocation location = SourceLocation::current();

  operator EventSinkPtr() const;  // NOLINT: a new sink each time
};

}  // namespace systolic::inline v0
