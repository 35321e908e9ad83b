// The cores of interpreter.run_parallel, and how programs are run on them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/ir/module.h"
#include "systolic/stablehlo/program.h"

namespace tool {

// A value of a program: an array, a tuple's arrays, or a token's none.
using Arrays = std::vector<systolic::Literal>;

// A function for each core, core = replica * partitions + partition.
struct Grid {
  int64_t replicas = 0, partitions = 0;
  std::vector<const systolic::stablehlo::Function*> functions;
};

// One array for all cores: theirs along a new leading axis.
systolic::Literal stacked(const std::vector<const systolic::Literal*>& parts);

// Runs a program with the arguments of all cores (stacked, of several): [core][result].
using Execute = std::function<std::vector<Arrays>(const systolic::ir::Module&, const Arrays&)>;

}  // namespace tool
