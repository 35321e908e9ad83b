// Merging of common pairs of instructions. Each rule saves a walk over a tile.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/tile/tile_rewriter.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

class Merger : TileRewriter {
 public:
  explicit Merger(TileGraph& graph) : TileRewriter(graph) {}

  // From the last node to the first, so that the longest patterns are seen before their parts are
  // taken.
  void run() {
    for (int n = size() - 1; n >= 0; --n) {
      TileNode& node = graph_.nodes[n];
      if (node.kind != TileNode::Kind::op || uses(n) == 0) continue;
      if (merge_from_the_end(n) || merge_compare_select(n)) continue;
      if (merge_within(n) || node.type != DType::f32) continue;
      simplify_power(n);
      if (merge_subtract_multiply_divide(n) || merge_lerp(n) || merge_unary(n)) continue;
      merge_pair(n);
    }
    for (int n = 0; n < size(); ++n) merge_adam(n);
  }

 private:
  // x^2 and x^3 are products.
  void simplify_power(int n) {
    if (!is(n, TileOp::power)) return;
    const int base = node(n).operands[0], exponent = node(n).operands[1];
    if (is_constant(exponent, 2.0f)) {
      replace(n, TileCode::square, {base});
    } else if (is_constant(exponent, 3.0f)) {
      replace(n, code_of(PairInner::multiply, PairOuter::multiply), {base, base, base});
    }
  }

  // a - b c / d, and a - b c / (sqrt(d) + e): the step of Adam and its like.
  bool merge_subtract_multiply_divide(int n) {
    if (!is(n, TileOp::subtract)) return false;
    const int a = node(n).operands[0], quotient = node(n).operands[1];
    if (!absorbable(quotient, TileOp::divide)) return false;
    const int product = node(quotient).operands[0], divisor = node(quotient).operands[1];
    if (!absorbable(product, TileOp::multiply)) return false;
    const int b = node(product).operands[0], c = node(product).operands[1];
    const int side = absorbable(divisor, TileOp::add) ? root_side(divisor) : -1;
    if (side >= 0) {
      const int root = node(divisor).operands[side], e = node(divisor).operands[1 - side];
      replace(n, TileCode::subtract_divide_root, {a, b, c, node(root).operands[0], e});
    } else {
      replace(n, TileCode::subtract_multiply_divide, {a, b, c, divisor});
    }
    return true;
  }
  // The moments that a step divides by each other and that are otherwise only stored.
  void merge_adam(int n) {
    if (!has_code(n, TileCode::subtract_divide_root) || uses(n) == 0) return;
    const auto step = node(n).operands;
    const int p = step[0], b = step[1], c = step[2], v = step[3], e = step[4];
    const int m = has_code(b, TileCode::lerp) ? b : c, factor = m == b ? c : b;
    if (!has_code(m, TileCode::lerp) || !has_code(v, TileCode::square_lerp)) return;
    const auto first = node(m).operands, second = node(v).operands;
    if (first[1] != second[1] || !is_only_stored(m) || !is_only_stored(v)) return;
    TileNode& target = node(n);
    target.code = TileCode::adam;
    target.operands = {first[0], first[1], first[2], second[0], second[2], p, factor, e};
    target.operand_count = 8;
    target.also = {m, v};
    for (int moment : target.also) {
      node(moment).kind = TileNode::Kind::also;
      node(moment).operand_count = 0;
    }
  }
  bool has_code(int n, TileCode code) {
    return node(n).kind == TileNode::Kind::op && node(n).code == code && node(n).type == DType::f32;
  }
  // Which operand of the sum is a square root that only it needs; -1: none.
  int root_side(int sum) {
    for (int side = 0; side < 2; ++side) {
      if (absorbable(node(sum).operands[side], TileOp::sqrt)) return side;
    }
    return -1;
  }

  // a + (b - a) c and a + (b b - a) c, the sum and the product in either order.
  bool merge_lerp(int n) {
    if (!is(n, TileOp::add)) return false;
    for (int side = 0; side < 2; ++side) {
      const int a = node(n).operands[side], product = node(n).operands[1 - side];
      if (!absorbable(product, TileOp::multiply)) continue;
      for (int factor = 0; factor < 2; ++factor) {
        const int difference = node(product).operands[factor];
        const int c = node(product).operands[1 - factor];
        if (!absorbable(difference, TileOp::subtract) || node(difference).operands[1] != a) {
          continue;
        }
        const int b = node(difference).operands[0];
        const int root = square_root_of(b);
        if (root >= 0) {
          replace(n, TileCode::square_lerp, {a, root, c});
        } else {
          replace(n, TileCode::lerp, {a, b, c});
        }
        return true;
      }
    }
    return false;
  }
  // x if n computes x x for one user, else -1.
  int square_root_of(int n) {
    if (uses(n) != 1) return -1;
    if (is(n, TileOp::multiply) && node(n).operands[0] == node(n).operands[1]) {
      return node(n).operands[0];
    }
    if (is(n, TileOp::power) && is_constant(node(n).operands[1], 2.0f)) return node(n).operands[0];
    return -1;
  }

  bool merge_compare_select(int n) {
    if (node(n).code != code_of(TileOp::select)) return false;
    const DType type = node(n).type;
    if (type != DType::f32 && type != DType::i32) return false;
    const int condition = node(n).operands[0];
    const TileNode& compare = node(condition);
    const bool plain_compare = compare.kind == TileNode::Kind::op &&
                               compare.code >= TileCode::compare &&
                               compare.code < TileCode::compare_total;
    if (!plain_compare || node(compare.operands[0]).type != type) return false;
    // Comparing twice is as cheap as storing and reading the answer: merge even if there are other
    // users.
    const int direction = static_cast<int>(compare.code) - static_cast<int>(TileCode::compare);
    replace(n, TileCode::compare_select + direction,
            {compare.operands[0], compare.operands[1], node(n).operands[1], node(n).operands[2]});
    return true;
  }

  // An index that counts from the end where it is below 0: a < 0 ? a + size : a.
  bool merge_from_the_end(int n) {
    if (node(n).code != code_of(TileOp::select) || node(n).type != DType::i32) return false;
    const TileNode& below = node(node(n).operands[0]);
    const int sum = node(n).operands[1], a = node(n).operands[2];
    const bool is_below = below.kind == TileNode::Kind::op && below.operands[0] == a &&
                          below.code == TileCode::compare + static_cast<int>(CompareDirection::lt);
    if (!is_below || !is_zero(below.operands[1])) return false;
    if (node(sum).kind != TileNode::Kind::op || node(sum).code != code_of(TileOp::add))
      return false;
    for (int side = 0; side < 2; ++side) {
      if (node(sum).operands[side] != a || uses(sum) != 1) continue;
      replace(n, TileCode::from_the_end, {a, node(sum).operands[1 - side]});
      return true;
    }
    return false;
  }
  bool is_zero(int n) { return node(n).kind == TileNode::Kind::constant && node(n).bits == 0; }

  // low <= a and a <= high: whether an index lies inside.
  bool merge_within(int n) {
    if (node(n).code != code_of(TileOp::and_)) return false;
    for (int side = 0; side < 2; ++side) {
      const int above = node(n).operands[side], below = node(n).operands[1 - side];
      if (!only_compares(above, CompareDirection::ge)) continue;
      if (!only_compares(below, CompareDirection::le)) continue;
      const int a = node(above).operands[0];
      if (node(below).operands[0] != a || node(a).type != DType::i32) continue;
      replace(n, TileCode::within, {a, node(above).operands[1], node(below).operands[1]});
      return true;
    }
    return false;
  }
  // A comparison that one user needs.
  bool only_compares(int n, CompareDirection direction) {
    return node(n).kind == TileNode::Kind::op && uses(n) == 1 &&
           node(n).code == TileCode::compare + static_cast<int>(direction);
  }

  bool merge_unary(int n) {
    if (is(n, TileOp::erf) && absorbable(node(n).operands[0], TileOp::multiply)) {
      const TileNode product = node(node(n).operands[0]);
      replace(n, TileCode::multiply_erf, {product.operands[0], product.operands[1]});
      return true;
    }
    const int side = is(n, TileOp::add) ? root_side(n) : -1;
    if (side >= 0) {
      const int root = node(n).operands[side];
      replace(n, TileCode::sqrt_add, {node(root).operands[0], node(n).operands[1 - side]});
      return true;
    }
    return false;
  }

  static std::optional<PairInner> as_inner(TileCode code) {
    if (code == code_of(TileOp::add)) return PairInner::add;
    if (code == code_of(TileOp::subtract)) return PairInner::subtract;
    if (code == code_of(TileOp::multiply)) return PairInner::multiply;
    if (code == code_of(TileOp::divide)) return PairInner::divide;
    return std::nullopt;
  }
  // `side`: which operand of the outer op the inner one is.
  static std::optional<PairOuter> as_outer(TileCode code, int side) {
    if (code == code_of(TileOp::add)) return PairOuter::add;
    if (code == code_of(TileOp::multiply)) return PairOuter::multiply;
    if (code == code_of(TileOp::maximum)) return PairOuter::maximum;
    if (code == code_of(TileOp::minimum)) return PairOuter::minimum;
    if (code == code_of(TileOp::subtract)) {
      return side == 0 ? PairOuter::subtract : PairOuter::subtract_from;
    }
    if (code == code_of(TileOp::divide)) {
      return side == 0 ? PairOuter::divide : PairOuter::divide_into;
    }
    return std::nullopt;
  }

  // Products first: a multiply-add saves rounding as well as time.
  void merge_pair(int n) {
    for (bool products_only : {true, false}) {
      for (int side = 0; side < node(n).operand_count && side < 2; ++side) {
        const std::optional<PairOuter> outer = as_outer(node(n).code, side);
        if (!outer) return;
        const int inner_node = node(n).operands[side];
        if (node(inner_node).kind != TileNode::Kind::op || uses(inner_node) != 1) continue;
        const std::optional<PairInner> inner = as_inner(node(inner_node).code);
        if (!inner || (products_only && *inner != PairInner::multiply)) continue;
        const TileNode absorbed = node(inner_node);
        replace(n, code_of(*inner, *outer),
                {absorbed.operands[0], absorbed.operands[1], node(n).operands[1 - side]});
        return;
      }
    }
  }
};

}  // namespace

void merge_pairs(TileGraph& graph) { Merger(graph).run(); }

}  // namespace kernels
}  // namespace systolic::inline v0
