// What a program wants to see of its own while it trains (tf.summary), by TensorBoard: from a
// callback of fit, or in a loop of one's own.
//
//   TrainingRun run({.sinks = {TensorBoard{.log_dir = "logs"}}});
//   ...
//   summary::scalar("gradient_norm", norm);
//   summary::image("digits", batch);
//
// It goes to all sinks of the thread's run as events::Summary; outside of a run to nobody.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace summary {

struct SummaryOptions {
  std::optional<int64_t> step = {};                     // default: steps done in the run
  int64_t max_outputs = 3;                              // pictures of a batch
  SourceLocation location = SourceLocation::current();  // the caller's line, for errors
};

void scalar(std::string_view name, double value, const SummaryOptions& options = {});

// How numbers are spread: any shape, any type of numbers. `Tensor::literal()` reads one.
void histogram(std::string_view name, const Literal& values, const SummaryOptions& options = {});

// [batch, height, width, channels] or [height, width, channels], 1 to 4 channels: u8, or real
// numbers from 0 to 1, beyond which they are cut. InvalidArgument for others.
void image(std::string_view name, const Literal& images, const SummaryOptions& options = {});

// Markdown.
void text(std::string_view name, std::string_view value, const SummaryOptions& options = {});

}  // namespace summary
}  // namespace systolic::inline v0
