// Merging of what dropout is made of: products of which a mask keeps some, and the comparison of
// random bits that makes the mask.
#include <cmath>

#include "backends/cpu/kernels/tile/tile_rewriter.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

class MaskMerger : TileRewriter {
 public:
  explicit MaskMerger(TileGraph& graph) : TileRewriter(graph) {}

  void run() {
    for (int n = size() - 1; n >= 0; --n) {
      if (uses(n) == 0 || node(n).type != DType::f32) continue;
      if (merge_selected_product(n) || merge_scaled_selection(n)) merge_comparison(n);
    }
  }

 private:
  // select(m, a b, c). A mask that compares floats is left to the peephole, which needs none then.
  bool merge_selected_product(int n) {
    if (!is(n, TileOp::select) || !absorbable(node(n).operands[1], TileOp::multiply)) return false;
    const TileNode& mask = node(node(n).operands[0]);
    if (mask.operand_count == 2 && node(mask.operands[0]).type == DType::f32) return false;
    const auto selected = node(n).operands, factors = node(selected[1]).operands;
    replace(n, TileCode::select_product, {selected[0], factors[0], factors[1], selected[2]});
    return true;
  }

  // select(m, a, 0) b, for a positive number b, which leaves 0 what it is.
  bool merge_scaled_selection(int n) {
    if (!is(n, TileOp::multiply)) return false;
    for (int side = 0; side < 2; ++side) {
      const int selection = node(n).operands[side], factor = node(n).operands[1 - side];
      const bool scales = is_constant(factor) && number_of(factor) > 0 &&
                          std::isfinite(number_of(factor)) && absorbable(selection, TileOp::select);
      if (!scales) continue;
      const auto selected = node(selection).operands;
      if (!is_constant(selected[2]) || node(selected[2]).bits != 0) continue;
      replace(n, TileCode::select_product, {selected[0], selected[1], factor, selected[2]});
      return true;
    }
    return false;
  }

  // The mask of select_product is w >= t, for random bits w, and is stored for the gradient.
  void merge_comparison(int n) {
    const auto operands = node(n).operands;
    const int mask = operands[0];
    const bool reaches =
        node(mask).code == TileCode::compare + static_cast<int>(CompareDirection::ge) &&
        node(node(mask).operands[0]).type == DType::u32;
    if (!reaches || !is_only_stored(mask)) return;
    const auto compared = node(mask).operands;
    replace(n, TileCode::keep_product,
            {compared[0], compared[1], operands[1], operands[2], operands[3]});
    release_operands(mask);
    node(mask).kind = TileNode::Kind::also;
    node(n).also = {mask, -1};
  }
};

}  // namespace

void merge_masks(TileGraph& graph) { MaskMerger(graph).run(); }

}  // namespace kernels
}  // namespace systolic::inline v0
