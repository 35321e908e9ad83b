// Values that a program fetches from the host each time it runs: next(iterator) inside `function`.
// Internal.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "systolic/ir/module.h"
#include "systolic/runtime/buffer.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Gives one buffer a value, at each run.
struct Feed {
  std::function<std::vector<runtime::BufferPtr>()> pull;
};

struct FeedValue {
  ir::Type type;
  ir::Parameter parameter = {};
};

// Adds the values of one pull() to the program that is being traced. Inside a loop body this throws
// FeedInsideLoop.
std::vector<Tensor> add_feed(std::vector<FeedValue> values,
                             std::function<std::vector<runtime::BufferPtr>()> pull);

// Caught by for_range, which then lets the host count the rounds.
struct FeedInsideLoop {};

// Makes the open program one round of a loop that the host repeats `count` times. The loop must be
// all that the function does.
void loop_on_host(const Tensor& count, const std::function<void(const Tensor& i)>& body,
                  SourceLocation location);

}  // namespace systolic::inline v0
