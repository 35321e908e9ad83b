// The lines of CSVLogger (callbacks/csv_logger.h). Internal to train.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

struct CSVSinkOptions {
  std::string filename, separator;
  bool append = false;
  SourceLocation location = {};
};

EventSinkPtr csv_sink(CSVSinkOptions options);

}  // namespace systolic::inline v0
