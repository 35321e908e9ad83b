#include "backends/cpu/kernels/tile/tile_rewriter.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace systolic::inline v0 {
namespace kernels {

TileRewriter::TileRewriter(TileGraph& graph) : graph_(graph), uses_(graph.nodes.size(), 0) {
  for (const TileNode& node : graph.nodes) {
    for (int k = 0; k < node.operand_count; ++k) ++uses_of(node.operands[k]);
  }
  for (const TileOutput& output : graph.outputs) ++uses_of(output.node);
}

float TileRewriter::number_of(int n) {
  return std::bit_cast<float>(static_cast<uint32_t>(node(n).bits));
}

bool TileRewriter::is_only_stored(int n) const {
  const auto stores = std::count_if(graph_.outputs.begin(), graph_.outputs.end(),
                                    [&](const TileOutput& output) { return output.node == n; });
  return uses(n) == 2 && stores == 1;
}

void TileRewriter::replace(int n, TileCode code, std::initializer_list<int> operands) {
  for (int operand : operands) ++uses_of(operand);  // first: the old ones may need them
  release_operands(n);
  TileNode& target = node(n);
  target.code = code;
  for (int operand : operands) target.operands[target.operand_count++] = operand;
}

void TileRewriter::release_operands(int n) {
  std::vector<int> unused{n};
  while (!unused.empty()) {
    TileNode& op = node(unused.back());
    unused.pop_back();
    for (int k = std::exchange(op.operand_count, 0) - 1; k >= 0; --k) {
      const int operand = op.operands[k];
      if (--uses_of(operand) == 0 && node(operand).kind == TileNode::Kind::op) {
        unused.push_back(operand);
      }
    }
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
