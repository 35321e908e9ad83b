// From a program over whole arrays to the one that each of several processes runs on its part: of
// the arrays that are cut along one axis (the batch) a process holds an equal piece, of all others
// the whole.
//
// The cut is carried from the arguments through each op by its factors (factors.h), forward. Where
// an op folds over the cut axis (a loss, a weight gradient, moments) each process folds its part
// and an all_reduce adds them up; where an op mixes the axis otherwise, the pieces are gathered
// first, and `gathered` says so. Rounding apart, the results are the program's own.
//
//   Partitioned step = partition(fit_step, 4, {0, no_cut});   // x [batch, ...] cut, w whole
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

inline constexpr int no_cut = -1;

// An array that had to be put together.
struct Gathered {
  std::string op;           // that needs it: "sort"
  SourceLocation location;  // the user's line
  const char* layer_path = "";
  int64_t bytes = 0;  // of the whole array
};

struct Partitioned {
  // num_replicas processes, collectives between them.
  ir::Module module;
  // The axis along which each result of main() is cut, or no_cut.
  std::vector<int> result_cuts;
  std::vector<Gathered> gathered;
};

// The axis along which each argument is cut, or no_cut: process p of n holds piece p of n. A
// donated argument keeps its memory: the result that gets it is cut as the argument is. Other
// results are cut as `result_cuts` says, or left as they come out. InvalidArgument where an axis
// does not divide by the number of processes, or where the program is a per-core one already.
Partitioned partition(const ir::Module& module, int64_t processes,
                      const std::vector<int>& argument_cuts,
                      std::vector<std::optional<int>> result_cuts = {});

// The axis by which a sharding cuts an array over this many processes, neighbours' cores being one
// process's: the one that has tiles enough. no_cut where there is none.
int cut_of(const ir::Sharding& sharding, int64_t processes);

}  // namespace passes
}  // namespace systolic::inline v0
