// Finds the steps of a plan that compute from parameters alone: a kernel in the order that a
// convolution likes, the scale of a normalization. A program that is given the same parameters
// again, as a prediction is, need not run them again; what others read of them is kept in memory
// of the program's own.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/cpu/plan/memory_layout.h"
#include "backends/cpu/plan/step_note.h"

namespace systolic::inline v0 {
namespace cpu {

class PreparedSteps {
 public:
  // A place of an argument that is a parameter and that no step writes to.
  void add_parameter(PlaceId place) { parameters_.push_back(place); }
  bool has_parameters() const { return !parameters_.empty(); }

  // A step. `index` in the plan's list; -1 where it runs in a loop, in a branch or as a part of
  // another step, and where it has effects besides what it writes.
  void add(const StepNote& note, int64_t index);

  // Before MemoryLayout::settle(): the steps that compute from parameters alone, in order. Those of
  // their places that others read are moved to memory that is kept. None where that would take
  // twice what the parameters do.
  std::vector<int64_t> choose(MemoryLayout& memory) const;

 private:
  struct Noted {
    int64_t index;
    std::vector<PlaceId> reads, writes;
  };
  std::vector<PlaceId> parameters_;
  std::vector<Noted> steps_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
