#include "systolic/train/callbacks/logging/csv_logger.h"

#include <memory>

#include "systolic/train/callbacks/logging/sink_callback.h"
#include "systolic/train/sinks/csv_sink.h"

namespace systolic::inline v0 {
namespace {

std::shared_ptr<CSVSink> csv_sink_of(const CSVLogger& logger) {
  return std::make_shared<CSVSink>(CSVSinkOptions{.filename = logger.filename,
                                                  .separator = logger.separator,
                                                  .append = logger.append,
                                                  .location = logger.location});
}

}  // namespace

CSVLogger::operator EventSinkPtr() const { return csv_sink_of(*this); }

// The lines go with the run: those of epochs that are trained again are written again.
CSVLogger::operator CallbackPtr() const {
  const auto sink = csv_sink_of(*this);
  return callback_for(sink, {.name = "CSVLogger",
                             .save =
                                 [sink] {
                                   return Example{{"lines", sink->lines()}};
                                 },
                             .load =
                                 [sink](const Example& state) {
                                   sink->set_lines(std::string(state["lines"].bytes()));
                                 }});
}

}  // namespace systolic::inline v0
