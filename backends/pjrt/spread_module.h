// A program that knows of one core, as one that each of several cores runs by itself.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace pjrt {

// The module with num_replicas = cores. Its collectives, of one core so far, work on each core
// alone. A program that asks for the number of its core is an Unimplemented: the copies would
// differ.
ir::Module spread_over(ir::Module module, int cores);

}  // namespace pjrt
}  // namespace systolic::inline v0
