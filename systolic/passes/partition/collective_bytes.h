// What each core hands to collectives in a run of a program: the bytes of their operands on one
// core. A program for each core has them as ops. One over whole arrays gets them when it is cut for
// the cores, as its sharded arguments say (partition.h): an all_reduce for each gradient of
// weights, for one.
//
//   collective_bytes(fit_step).bytes_of(0);   // about 4 bytes for each trainable number
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// NaN: not known, as where loops within loops count their rounds only while they run, or where an
// argument cannot be cut.
struct CollectiveBytes {
  double once = 0;        // outside of that loop
  double each_round = 0;  // of the program's only outermost loop, such as one over several steps

  // What a run hands over in which that loop had so many rounds.
  double bytes_of(double rounds) const { return rounds == 0 ? once : once + rounds * each_round; }
};

// Other loops count as often as they run; of branches, the one that hands over the most.
CollectiveBytes collective_bytes(const ir::Module& module);

// Every loop as often as it runs, for a program of each core. NaN where only a run counts the
// rounds of a loop that exchanges something.
double collective_bytes_of_all_rounds(const ir::Module& module);

}  // namespace passes
}  // namespace systolic::inline v0
