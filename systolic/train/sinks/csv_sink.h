// The lines of CSVLogger (callbacks/logging/csv_logger.h). Internal to train.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

struct CSVSinkOptions {
  std::string filename, separator;
  bool append = false;
  SourceLocation location = {};
};

class CSVSink : public EventSink {
 public:
  explicit CSVSink(CSVSinkOptions options) : options_(std::move(options)) {}

  void handle(const events::Moment& at, const Event& event) override;

  // The lines of the file so far; and those that it goes on from in another process, in which the
  // epochs that come are written.
  const std::string& lines() const { return lines_; }
  void set_lines(const std::string& lines);

 private:
  void begin();
  void add(int epoch, const Logs& logs);
  void add_columns(const Logs& logs);
  std::string line(const std::string& first, const std::vector<std::string>& rest) const;

  CSVSinkOptions options_;
  std::vector<std::string> names_;  // of the columns after "epoch"
  std::string lines_;
};

}  // namespace systolic::inline v0
