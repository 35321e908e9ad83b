// A region that is run on one element at a time: the comparator of a sort, the rule of a scatter.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// A tile program where the region is one; else steps of its own, which do any op on any type and
// read values from outside, slowly.
class ScalarRegion {
 public:
  // Lowers the region, between other steps: the op that runs it must be emitted next. `apart` are
  // the places that this op writes while it runs the region.
  ScalarRegion(Planner& planner, const ir::Op& op, const ir::Block& region,
               std::span<const PlaceId> apart);

  // Adds to the op's note what the region reads.
  void note_reads(StepNote& note) const;
  // Whether several threads may run it at once.
  bool is_concurrent() const { return program_.has_value(); }
  // Takes one element for each argument, gives one for each result. They may be the same memory.
  void run(const Frame& frame, std::span<const void* const> arguments,
           std::span<void* const> results) const;

 private:
  // An argument or result of the steps.
  struct Scalar {
    PlaceId place;
    size_t bytes;
  };
  void lower(Planner& planner, const ir::Op& op, const ir::Block& region,
             std::span<const PlaceId> apart);

  std::optional<kernels::TileProgram> program_;
  std::shared_ptr<const std::vector<Step>> steps_;
  std::vector<Scalar> arguments_, results_;
  std::vector<PlaceId> reads_;
};

}  // namespace cpu
}  // namespace systolic::inline v0
