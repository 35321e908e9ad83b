#include "systolic/train/callbacks/logging/progbar_logger.h"

#include "systolic/train/callbacks/logging/sink_callback.h"
#include "systolic/train/sinks/progress_sink.h"

namespace systolic::inline v0 {

CallbackPtr ProgbarLogger(std::ostream& out, bool terminal) {
  return callback_for(ProgressSink(out, terminal));
}

CallbackPtr ProgbarLogger() { return callback_for(ProgressSink()); }

}  // namespace systolic::inline v0
