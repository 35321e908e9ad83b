// Steps: what was traced since the last one runs now, on all ordinals together.
#pragma once

#include <functional>

#include "systolic/base/source_location.h"
#include "systolic/torch/device.h"

namespace systolic::inline v0 {
namespace torch_xla {

// Runs what is pending, then the step's closures (torch_xla.sync, xm.mark_step). Under spawn the
// ordinals come together here; traces that differ are a FailedPrecondition that names the first op
// in which they do. A backward() through what was computed before is not possible any more.
void sync(SourceLocation location = SourceLocation::current());

// This ordinal's device; ordinal 0's outside of spawn (torch_xla.device, xm.xla_device).
torch::Device device();

// sync() under another name: ordinals that come to steps of different names are an error. Internal.
void sync_at(const char* name, SourceLocation location);
// What sync() calls when the step has run. Internal.
void call_after_step(std::function<void()> closure);

}  // namespace torch_xla
}  // namespace systolic::inline v0
