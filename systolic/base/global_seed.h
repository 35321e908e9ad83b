// Seeds for what draws random numbers without a seed of its own, such as shuffles.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace systolic::inline v0 {

// After this call both functions below give the same seeds in the same order in each run of the
// program, as long as one thread asks for them. set_seed() calls it.
void set_global_seed(uint64_t seed);
// A different one each time, and in each run too, unless set_global_seed() was called. The same in
// all processes of one run, which read one dataset together.
uint64_t draw_seed();
// The same, from a separate sequence for iterators: reading a pipeline does not change what another
// one, written later, draws, unless it creates shuffles while it is read (in a flat_map, say).
uint64_t draw_iterator_seed();

// How to find the seed that the processes of this run have in common: asked once, at the first
// draw. Nothing where this process is alone.
void set_seed_of_run(std::function<std::optional<uint64_t>()> find);

}  // namespace systolic::inline v0
