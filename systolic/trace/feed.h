// Values that a program fetches from the host each time it runs: next(iterator) inside `function`.
// Internal.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Gives a buffer its value, at each run.
struct Feed {
  std::function<std::vector<runtime::BufferPtr>()> pull;
};

struct FeedValue {
  ir::Type type;
  ir::Parameter parameter = {};
};

// Adds the values of one pull() to the program that is being traced. Inside a branch or loop body
// this throws FeedInsideLoop.
std::vector<Tensor> add_feed(std::vector<FeedValue> values,
                             std::function<std::vector<runtime::BufferPtr>()> pull,
                             SourceLocation location);

// Caught by for_range, which then traces the body once more, as a loop whose rounds the host
// counts; without a for_range it is an error. A body that catches every exception should rethrow
// it.
struct FeedInsideLoop : Unimplemented {
  using Unimplemented::Unimplemented;
};

}  // namespace systolic::inline v0
