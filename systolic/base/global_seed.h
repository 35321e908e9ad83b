// Seeds that nobody gave: of shuffles, and of whatever else draws.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// From here on both functions below give the same seeds in the same order in each run of the
// program, as far as one thread asks for them. set_seed() calls it.
void set_global_seed(uint64_t seed);
// Another one each time; another one each run, too, unless set_global_seed() was called.
uint64_t draw_seed();
// The same from a sequence of its own, of iterators: reading a pipeline changes nothing that
// another one, written later, draws, unless it writes shuffles itself as it is read (in a flat_map,
// say).
uint64_t draw_iterator_seed();

}  // namespace systolic::inline v0
