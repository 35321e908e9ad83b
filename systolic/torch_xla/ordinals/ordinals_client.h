// The client of a program that xmp::spawn runs: what the ordinals, threads, trace each for itself
// becomes one per-core program for all of them. Internal.
//
// An ordinal compiles nothing by itself. Equal programs share one Executable (CompileCache), and
// when all ordinals have come with theirs, the Executable is compiled for as many cores and run
// once. A program that one ordinal runs alone, because it reads a value between steps, is compiled
// for one core; with a collective in it, it waits for the others.
#pragma once

#include <memory>

#include "systolic/runtime/client.h"
#include "systolic/torch_xla/ordinals/counters.h"

namespace systolic::inline v0 {
namespace torch_xla {

// Threads that are not an ordinal get `real` itself. `counters` must outlive it.
runtime::ClientPtr make_ordinals_client(runtime::ClientPtr real, Counters& counters);

// The ordinals meet without a program: one has nothing to run. All have nothing, or it is an error.
void join_with_nothing();

}  // namespace torch_xla
}  // namespace systolic::inline v0
