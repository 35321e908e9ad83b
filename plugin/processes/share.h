// What each of several processes computes of a program.
//
// Where the shardings cut an argument or a result so that each process's devices hold one piece of
// it together, as they do with a batch, passes::partition carries the cut through the program: each
// process computes its pieces, and exchanges what is summed or needed whole. What a loop only adds
// up is summed after it. A program with a part for each device, of arrays that are whole outside of
// it, becomes one over whole arrays before (passes::stack_cores).
//
// Each process computes the whole program, as before, where it calls foreign functions, where sums
// would have no meaning between processes, and where more bytes would be exchanged than the
// arguments and results have together: a sort along the batch within a loop, for one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "plugin/program/signature.h"
#include "systolic/ir/module.h"
#include "systolic/passes/partition/partition.h"

namespace systolic::inline v0 {
namespace plugin {

// A process's piece of an array: `size` indices along `axis`, from `first` on.
struct Piece {
  int axis = passes::no_cut;  // it has the whole array
  int64_t first = 0, size = 0;
  bool is_cut() const { return axis != passes::no_cut; }
  friend bool operator==(const Piece&, const Piece&) = default;
};

// Whether an op asks which core it runs on, or for something of the others.
bool asks_other_cores(const ir::Module& module);

// The parts, counted from where the piece begins; of use for this process's devices alone.
stablehlo::Parts parts_within(stablehlo::Parts parts, const Piece& piece);

struct Share {
  ir::Module module;  // as passes::partition makes it
  std::vector<int> argument_cuts, result_cuts;
  // A result that is said to be the same on all devices, and may not be: the program gives what
  // each device of the process has, [device, ...].
  std::vector<bool> result_differs;
};

// `places`: [process][device], where each device stands in the program's assignment, as parts are
// numbered. Nothing where each process computes the whole. All processes come to the same answer.
std::optional<Share> share_of(const ir::Module& module, const Signature& signature,
                              const std::vector<std::vector<size_t>>& places);

}  // namespace plugin
}  // namespace systolic::inline v0
