// Turns a program for one core into one that each of several cores runs by itself.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace pjrt {

// The module with num_replicas = cores. Its collectives, which had one core so far, work on each
// core alone. A program that asks for its core's id is an Unimplemented: the copies would differ.
ir::Module spread_over(ir::Module module, int cores);

}  // namespace pjrt
}  // namespace systolic::inline v0
