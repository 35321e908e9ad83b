// Reading several inputs in turns: what interleave and the parallel reading of TFRecord files
// share.
#pragma once

#include <functional>
#include <memory>

#include "systolic/data/node.h"
#include "systolic/data/stage.h"

namespace systolic::inline v0 {
namespace data {

// Opens the next input; nothing when there are no more. Called by the reader, one call at a time.
using OpenNext = std::function<std::unique_ptr<Stage>()>;

// Takes `block_length` elements from each of `cycle_length` open inputs in turns; an input that
// ends makes room for the next one. With num_parallel_calls above 1 that many threads read ahead.
std::unique_ptr<Stage> make_interleave(const Context& context, const Node& node, OpenNext open_next,
                                       InterleaveOptions options);

}  // namespace data
}  // namespace systolic::inline v0
