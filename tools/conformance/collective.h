// A collective that cores reach in programs of their own: run by itself, as a program of all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systolic/core/literal.h"
#include "systolic/stablehlo/import/import.h"
#include "tools/conformance/grid.h"

namespace tool {

bool is_collective(const systolic::stablehlo::Operation& op);
// The number in its channel_handle; 0: it names none.
int64_t channel_of(const systolic::stablehlo::Operation& op);

class Collective {
 public:
  // The op at `position` of the function that `core` runs.
  Collective(const systolic::stablehlo::Program& program, const Grid& grid,
             const systolic::stablehlo::Function& function, size_t position, int64_t core);

  // The cores that take part in it with this one.
  const std::vector<int64_t>& group() const { return group_; }

  // [core][result]. `operands` are those of each core of the group, in its order; InvalidArgument
  // where their types are not those of the op.
  std::vector<Arrays> run(const std::vector<Arrays>& operands, const Execute& execute) const;

 private:
  void find_group(int64_t core, int64_t cores);

  const systolic::stablehlo::Program& program_;
  const systolic::stablehlo::Operation& op_;
  size_t cores_;
  std::vector<size_t> places_;  // of its operands, each value once
  systolic::ir::Module module_;
  std::vector<int64_t> group_;
};

}  // namespace tool
