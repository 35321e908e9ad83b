// Running a cluster on the rows alone that have updates (fuse/untouched_rows.h).
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/base/function_ref.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

class TouchedRows {
 public:
  // Nothing where the cluster changes other rows, too. Its results have places.
  static std::optional<TouchedRows> of(Planner& planner, std::span<const ir::Op* const> ops,
                                       std::span<const ir::ValueId> results);

  // Whether each result has the memory of the operand that it leaves as it is: only then may other
  // rows be left out. The plan's memory decides, and donated arguments do.
  bool are_all(const Frame& frame) const;
  using Ranges = std::span<const kernels::TileProgram::Range>;
  // Calls run(ranges of elements) on several threads, until each row that has updates was in one.
  void visit(const Frame& frame, FunctionRef<void(Ranges)> run) const;

 private:
  void visit_rows(const Frame& frame, int64_t begin, int64_t end,
                  FunctionRef<void(Ranges)> run) const;
  void fetch(const Frame& frame, int64_t element) const;

  PlaceId lists_ = no_place;                       // kernels/movement/row_sums.h
  int64_t rows_ = 0, width_ = 0;                   // of the table
  int64_t element_bytes_ = 0;                      // of an element
  std::vector<std::pair<PlaceId, PlaceId>> same_;  // results, operands
};

}  // namespace cpu
}  // namespace systolic::inline v0
