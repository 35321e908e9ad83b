// Runs cores that exchange arrays by send and recv, each with a program of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/stablehlo/import.h"

namespace tool {

// A value of a program: an array, a tuple's arrays, or a token's none.
using Arrays = std::vector<systolic::Literal>;

// The cores of interpreter.run_parallel: a function each, core = replica * partitions + partition.
struct Grid {
  int64_t replicas = 0, partitions = 0;
  std::vector<const systolic::stablehlo::Function*> functions;
};

// Must the grid run in this way? Where cores run different functions, send or recv, or feed on the
// one queue together. Otherwise one per-core program is faster, and may hold collectives.
bool exchanges_arrays(const Grid& grid);

// [core][argument] to [core][result]. The host runs the ops of each core up to the next send, recv,
// infeed or outfeed (at the top of its function), moves what that op moves, and goes on; a core
// that receives waits until something was sent. `infeed` is what infeed ops get, in this order, and
// `execute` runs a program of one core without arguments.
//
// InvalidArgument where all cores wait, and where what comes in is not of the type that the text
// says.
std::vector<std::vector<Arrays>> run_cores(
    const systolic::stablehlo::Program& program, const Grid& grid,
    const std::vector<std::vector<Arrays>>& arguments, std::deque<Arrays> infeed,
    const std::function<Arrays(const systolic::ir::Module&)>& execute);

// The values of ops [begin, end) that ops from `end` on use, also in their regions.
std::vector<systolic::stablehlo::ValueId> used_later(
    const std::vector<systolic::stablehlo::Operation>& ops, size_t begin, size_t end);

}  // namespace tool
