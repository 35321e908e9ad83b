#include "systolic/train/callbacks/tensor_board.h"

#include "systolic/train/callbacks/sink_callback.h"
#include "systolic/train/sinks/tensor_board_sink.h"

namespace systolic::inline v0 {

TensorBoard::operator EventSinkPtr() const { return tensor_board_sink(log_dir, location); }
TensorBoard::operator CallbackPtr() const { return callback_for(EventSinkPtr(*this)); }

}  // namespace systolic::inline v0
