// Turns elementwise ops into a tile program: for clusters, and for the scalar regions of
// reductions, sorts and scatters.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "backends/cpu/kernels/tile/tile_program.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

class TileCompiler {
 public:
  // The space in which the program runs.
  TileCompiler(Planner& planner, const Shape& space)
      : planner_(planner), space_(space), builder_(space.dims()) {}

  // Whether tile programs have the op for its types.
  static bool supports(const Planner& planner, const ir::Op& op);
  // All ops of a region are supported, and it reads nothing from outside but constants.
  static bool supports_region(const Planner& planner, const ir::Block& region);

  // Makes `value` read from the next input, whose elements lie as strides say (dense: no strides).
  void bind_input(ir::ValueId value, DType dtype, std::span<const int64_t> strides);
  void bind_input(ir::ValueId value, DType dtype);
  // Appends the op; operands that nobody bound are read from where the planner has them.
  void add(const ir::Op& op);
  // Each op's result is rounded to its type: what a region folds again and again would drift.
  void add_region(const ir::Block& region);
  void output(ir::ValueId value);

  kernels::TileProgram build() { return builder_.build(); }
  // The places that add() made inputs, in the order of the program's inputs.
  const std::vector<View>& inputs() const { return inputs_; }

 private:
  using Tile = kernels::TileProgramBuilder::Value;
  struct InputOf;
  Tile operand(ir::ValueId value);
  // The next input, which is read as it lies.
  Tile input(View view);
  // The reciprocals of a value of f32, where somebody has made them (Planner::reciprocals); nothing
  // for other values, and for one that the program has already.
  std::optional<Tile> reciprocal(ir::ValueId value);
  Tile constant(const Literal& scalar);
  Tile append(const ir::Op& op, std::span<const Tile> operands);

  Planner& planner_;
  Shape space_;
  kernels::TileProgramBuilder builder_;
  std::unordered_map<ir::ValueId, Tile> values_, reciprocals_;
  std::vector<View> inputs_;
};

// The tile program's op for a StableHLO op; nothing for those that need more than operands.
std::optional<kernels::TileOp> tile_op(ir::OpCode code);

}  // namespace cpu
}  // namespace systolic::inline v0
