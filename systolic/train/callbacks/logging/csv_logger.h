// Writes each epoch's logs as a line of a CSV file (keras.callbacks.CSVLogger).
#pragma once

#include <string>

#include "systolic/events/event_sink.h"
#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

//   .callbacks = {CSVLogger{.filename = "run/log.csv"}}
//
// "epoch", counted from 0, then the logs in their order. What an epoch lacks is NA: with
// .validation_freq = 2 the val_ columns come with the second epoch, and NA stands in the first. The
// file is whole after every epoch: it is written anew and renamed. A run that BackupAndRestore
// takes up goes on after the lines of its epochs. A file that cannot be written ends no training:
// one warning says so, and nothing more is written. A loop of your own takes it as a sink
// (events/training_run.h).
struct CSVLogger {
  std::string filename;
  std::string separator = ",";
  bool append = false;  // to the lines that the file has
  SourceLocation location = SourceLocation::current();

  operator CallbackPtr() const;   // NOLINT: a new callback each time
  operator EventSinkPtr() const;  // NOLINT: a new sink each time
};

}  // namespace systolic::inline v0
