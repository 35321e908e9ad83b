// Runs cores that exchange arrays by send and recv, or each with a program of its own.
#pragma once

#include <deque>
#include <vector>

#include "systolic/stablehlo/program.h"
#include "tools/conformance/grid.h"

namespace tool {

// Must the grid run in this way? Where cores run different functions, send or recv, or feed on the
// one queue together. Otherwise one per-core program is faster, and may hold collectives anywhere.
bool exchanges_arrays(const Grid& grid);

// [core][argument] to [core][result]. The host runs the ops of each core up to the next send, recv,
// infeed, outfeed or collective (at the top of its function), moves what that op moves, and goes
// on; a core that receives waits until something was sent, and at a collective until all cores of
// its group have come to one of the same name and channel. `infeed` is what infeed ops get, in this
// order.
//
// InvalidArgument where all cores wait, and where what comes in is not of the type that the text
// says.
std::vector<std::vector<Arrays>> run_cores(const systolic::stablehlo::Program& program,
                                           const Grid& grid,
                                           const std::vector<std::vector<Arrays>>& arguments,
                                           std::deque<Arrays> infeed, const Execute& execute);

// The values of ops [begin, end) that ops from `end` on use, also in their regions.
std::vector<systolic::stablehlo::ValueId> used_later(
    const std::vector<systolic::stablehlo::Operation>& ops, size_t begin, size_t end);

}  // namespace tool
