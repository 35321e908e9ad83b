// The files of TensorBoard (callbacks/tensor_board.h). Internal to train.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"

namespace systolic::inline v0 {

EventSinkPtr tensor_board_sink(std::string log_dir, SourceLocation location);

}  // namespace systolic::inline v0
