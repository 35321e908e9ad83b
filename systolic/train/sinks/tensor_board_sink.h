// The files of TensorBoard (callbacks/logging/tensor_board.h). Internal to train.
#pragma once

#include <cstdint>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/events/event_sink.h"
#include "systolic/train/sinks/summary_value.h"

namespace systolic::inline v0 {

struct TensorBoardSinkOptions {
  std::string log_dir;
  int64_t update_freq = 0;  // steps; 0: no logs within an epoch
  int histogram_freq = 0;   // epochs; 0: no histograms
  bool write_graph = true;
  bool write_steps_per_second = false;
  HyperParameters hparams = {};
  SourceLocation location = {};
};

EventSinkPtr tensor_board_sink(TensorBoardSinkOptions options);

}  // namespace systolic::inline v0
