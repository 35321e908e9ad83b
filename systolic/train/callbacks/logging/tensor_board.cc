#include "systolic/train/callbacks/logging/tensor_board.h"

#include "systolic/train/callbacks/logging/sink_callback.h"
#include "systolic/train/sinks/tensor_board_sink.h"
#include "systolic/train/state/model_facts.h"

namespace systolic::inline v0 {

EventSinkPtr TensorBoard::sink(std::string (*json)(const Network&)) const {
  write_model_json_by(json);
  return tensor_board_sink({.log_dir = log_dir,
                            .update_freq = update_freq,
                            .histogram_freq = histogram_freq,
                            .write_graph = write_graph,
                            .write_steps_per_second = write_steps_per_second,
                            .hparams = hparams,
                            .location = location});
}

CallbackPtr TensorBoard::callback(std::string (*json)(const Network&)) const {
  return callback_for(sink(json));
}

}  // namespace systolic::inline v0
