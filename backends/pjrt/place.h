// Copying an array to cores.
#pragma once

#include "backends/pjrt/buffer.h"

namespace systolic::inline v0 {
namespace pjrt {

// The parts of `literal` on the cores that `placement` names, which check_placement accepts.
Parts place(const ClientState& state, const Literal& literal, const runtime::Placement& placement);

// The same of an array of which `piece` is this process's share along the first axis, which lies
// over the cores of all: one part a core, in the order of the process's cores.
Parts place_piece(const ClientState& state, const Literal& piece,
                  const runtime::Placement& placement);

// InvalidArgument where an array of this shape cannot be placed in this way.
void check_placement(const ClientState& state, const Shape& shape,
                     const runtime::Placement& placement);

}  // namespace pjrt
}  // namespace systolic::inline v0
