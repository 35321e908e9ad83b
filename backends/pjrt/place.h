// Copying an array to cores.
#pragma once

#include "backends/pjrt/buffer.h"

namespace systolic::inline v0 {
namespace pjrt {

// The parts of `literal` on the cores that `placement` names, which check_placement accepts.
Parts place(const ClientState& state, const Literal& literal, const runtime::Placement& placement);

// InvalidArgument where an array of this shape cannot be placed in this way.
void check_placement(const ClientState& state, const Shape& shape,
                     const runtime::Placement& placement);

}  // namespace pjrt
}  // namespace systolic::inline v0
