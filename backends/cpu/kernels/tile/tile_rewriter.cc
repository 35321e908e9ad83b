#include "backends/cpu/kernels/tile/tile_rewriter.h"

#include <bit>
#include <utility>

namespace systolic::inline v0 {
namespace kernels {

TileRewriter::TileRewriter(TileGraph& graph) : graph_(graph), uses_(graph.nodes.size(), 0) {
  for (const TileNode& node : graph.nodes) {
    for (int k = 0; k < node.operand_count; ++k) ++uses(node.operands[k]);
  }
  for (const TileOutput& output : graph.outputs) ++uses(output.node);
}

float TileRewriter::number_of(int n) {
  return std::bit_cast<float>(static_cast<uint32_t>(node(n).bits));
}

void TileRewriter::replace(int n, TileCode code, std::initializer_list<int> operands) {
  for (int operand : operands) ++uses(operand);  // first: the old ones may need them
  release_operands(n);
  TileNode& target = node(n);
  target.code = code;
  for (int operand : operands) target.operands[target.operand_count++] = operand;
}

void TileRewriter::release_operands(int n) {
  const auto operands = node(n).operands;
  const int count = std::exchange(node(n).operand_count, 0);
  for (int k = 0; k < count; ++k) release(operands[k]);
}

void TileRewriter::release(int n) {
  if (--uses(n) == 0 && node(n).kind == TileNode::Kind::op) release_operands(n);
}

}  // namespace kernels
}  // namespace systolic::inline v0
