// What the passes over a program's graph share: questions about its values, and replacing them.
// Internal to the tile programs.
#pragma once

#include <initializer_list>
#include <vector>

#include "backends/cpu/kernels/tile/tile_graph.h"

namespace systolic::inline v0 {
namespace kernels {

class TileRewriter {
 protected:
  explicit TileRewriter(TileGraph& graph);

  int size() const { return static_cast<int>(graph_.nodes.size()); }
  TileNode& node(int n) { return graph_.nodes[static_cast<size_t>(n)]; }
  int uses(int n) const { return uses_[static_cast<size_t>(n)]; }
  bool is(int n, TileOp op) {
    return node(n).kind == TileNode::Kind::op && node(n).code == code_of(op);
  }
  // An op that only n's user needs, so that it may be absorbed.
  bool absorbable(int n, TileOp op) { return is(n, op) && uses(n) == 1; }
  // One output and one op read it.
  bool is_only_stored(int n) const;
  bool is_constant(int n) { return node(n).kind == TileNode::Kind::constant; }
  bool is_constant(int n, float value) {
    return is_constant(n) && node(n).type == DType::f32 && number_of(n) == value;
  }
  // The number of a constant of f32.
  float number_of(int n);

  // `n` becomes another op of other operands.
  void replace(int n, TileCode code, std::initializer_list<int> operands);
  // `n` loses its operands; an op without uses loses its own.
  void release_operands(int n);

  TileGraph& graph_;

 private:
  int& uses_of(int n) { return uses_[static_cast<size_t>(n)]; }

  std::vector<int> uses_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
