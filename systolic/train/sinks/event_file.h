// A file of TensorBoard's events, in the format of TFRecords. Internal to train.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/train/sinks/appended_file.h"

namespace systolic::inline v0 {

double seconds_since_1970();

// "FOLDER/events.out.tfevents.TIME.PROCESS.SERIAL.v2". The file is made with the first event, and
// each is there for readers when add() returns. On a local disk events are appended; elsewhere the
// file is written anew. NotFound, PermissionDenied, ResourceExhausted, as of io/files/file.h.
class EventFile {
 public:
  EventFile() = default;
  EventFile(const std::string& folder, SourceLocation location);

  // An event of this moment with these values (summary_value.h). Nothing without values.
  void add(int64_t step, const std::vector<std::string>& values);

 private:
  AppendedFile file_;
  bool begun_ = false;
};

}  // namespace systolic::inline v0
