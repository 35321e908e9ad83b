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

  // A step; gives its number here. One that is not placed runs whenever the program does.
  size_t add(const StepNote& note);
  // The step's index in the plan's list. For those that have no effects besides what they write,
  // and run neither in a loop, nor in a branch, nor as a part of another step.
  void place(size_t step, int64_t index) { steps_[step].index = index; }

  // Before MemoryLayout::settle(): the steps that compute from parameters alone, in order. Those of
  // their places that others read are moved to memory that is kept. None where that would take
  // twice what the parameters do.
  std::vector<int64_t> choose(MemoryLayout& memory) const;

 private:
  struct Noted {
    std::vector<PlaceId> reads, writes;
    int64_t index = -1;
  };
  std::vector<PlaceId> parameters_;
  std::vector<Noted> steps_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
