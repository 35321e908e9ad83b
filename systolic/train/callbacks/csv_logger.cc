#include "systolic/train/callbacks/csv_logger.h"

#include "systolic/train/callbacks/sink_callback.h"
#include "systolic/train/sinks/csv_sink.h"

namespace systolic::inline v0 {

CSVLogger::operator EventSinkPtr() const {
  return csv_sink(
      {.filename = filename, .separator = separator, .append = append, .location = location});
}
CSVLogger::operator CallbackPtr() const { return callback_for(EventSinkPtr(*this)); }

}  // namespace systolic::inline v0
