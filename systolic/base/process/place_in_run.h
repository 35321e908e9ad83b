// Which of the processes of one run this process is: for what is done once for all of them, as
// files are written. trace/device/processes.h is what users ask.
#pragma once

namespace systolic::inline v0 {

struct PlaceInRun {
  int index = 0;  // of this process
  int count = 1;  // of processes
};

// That of the device in use; a process without an open device is alone. Thread-safe.
PlaceInRun place_in_run();
// Called where a device is opened.
void set_place_in_run(const PlaceInRun& place);

}  // namespace systolic::inline v0
