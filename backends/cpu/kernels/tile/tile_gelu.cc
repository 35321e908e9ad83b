// Merging of GELU and of its gradient, as their formulas are written: Hendrycks and Gimpel,
// "Gaussian Error Linear Units", 2016.
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/tile/tile_rewriter.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

class GeluMerger : TileRewriter {
 public:
  explicit GeluMerger(TileGraph& graph) : TileRewriter(graph) {}

  void run() {
    for (int n = size() - 1; n >= 0; --n) {
      if (uses(n) == 0 || node(n).type != DType::f32) continue;
      if (is(n, TileOp::multiply)) merge_gelu(n);
      if (is(n, TileOp::add)) merge_gradient(n);
    }
  }

 private:
  // The other operand of n where n is `op` of it and the constant, and one op reads n; -1: it is
  // not.
  int beside_constant(int n, TileOp op, float constant) {
    if (!absorbable(n, op)) return -1;
    for (int side = 0; side < 2; ++side) {
      if (is_constant(node(n).operands[side], constant)) return node(n).operands[1 - side];
    }
    return -1;
  }
  // x c where n is 1 + erf(x c) for one op that reads it; else -1.
  int argument_of_erf(int n) {
    const int erf = beside_constant(n, TileOp::add, 1.0f);
    const bool found =
        erf >= 0 && absorbable(erf, TileOp::erf) && is(node(erf).operands[0], TileOp::multiply);
    return found ? node(erf).operands[0] : -1;
  }

  // (0.5 x) (1 + erf(x c)), and where x is a sum that nothing else reads, that too.
  void merge_gelu(int n) {
    for (int side = 0; side < 2; ++side) {
      const int x = beside_constant(node(n).operands[side], TileOp::multiply, 0.5f);
      const int product = argument_of_erf(node(n).operands[1 - side]);
      if (x < 0 || product < 0 || uses(product) != 1) continue;
      const auto factors = node(product).operands;
      if (factors[0] != x && factors[1] != x) continue;
      const int c = factors[factors[0] == x ? 1 : 0];
      if (is(x, TileOp::add) && uses(x) == 2 && c != x) {
        replace(n, TileCode::add_gelu, {node(x).operands[0], node(x).operands[1], c});
      } else {
        replace(n, TileCode::gelu, {x, c});
      }
      return;
    }
  }

  // A product of several: its constants as one number, and the others.
  struct Factors {
    float number = 1;
    std::vector<int> others = {};
  };
  void add_factors(int n, Factors& factors) {
    if (is_constant(n)) {
      factors.number *= number_of(n);
    } else if (absorbable(n, TileOp::multiply)) {
      for (int side : {0, 1}) add_factors(node(n).operands[side], factors);
    } else {
      factors.others.push_back(n);
    }
  }

  // p g (1 + erf(x c)), and the argument of erf.
  struct Share {
    int g = -1, product = -1;
    float p = 0;
  };
  std::optional<Share> read_share(const Factors& factors) {
    if (factors.others.size() != 2) return std::nullopt;
    for (size_t side : {0, 1}) {
      const int product = argument_of_erf(factors.others[side]);
      if (product >= 0) return Share{factors.others[1 - side], product, factors.number};
    }
    return std::nullopt;
  }

  // Whether n is exp(-(product product)), for one op that reads it.
  bool is_bell_of(int n, int product) {
    if (!absorbable(n, TileOp::exponential)) return false;
    const int negated = node(n).operands[0];
    if (!absorbable(negated, TileOp::negate)) return false;
    const int square = node(negated).operands[0];
    return absorbable(square, TileOp::multiply) && node(square).operands[0] == product &&
           node(square).operands[1] == product;
  }

  // What stands beside `taken` among three, where the third is the bell; -1: it is not so.
  int beside_bell(const std::vector<int>& three, int taken, int product) {
    if (three.size() != 3) return -1;
    constexpr std::array<std::array<size_t, 3>, 6> orders = {
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    for (const auto& [a, b, c] : orders) {
      if (three[a] == taken && is_bell_of(three[c], product)) return three[b];
    }
    return -1;
  }

  // p g (1 + erf(x c)) + q g x exp(-(x c)^2) for numbers c, p and q, its factors in any order.
  void merge_gradient(int n) {
    for (int side = 0; side < 2; ++side) {
      Factors first, second;
      add_factors(node(n).operands[side], first);
      add_factors(node(n).operands[1 - side], second);
      const auto share = read_share(first);
      if (!share) continue;
      const int x = beside_bell(second.others, share->g, share->product);
      const auto factors = node(share->product).operands;
      if (x < 0 || (factors[0] != x && factors[1] != x)) continue;
      const int c = factors[factors[0] == x ? 1 : 0];
      if (!is_constant(c)) continue;
      const std::array<float, 3> numbers{number_of(c), share->p, second.number};
      replace(n, TileCode::gelu_gradient, {share->g, x});
      node(n).parameters = {static_cast<int>(graph_.table.size()), 0};
      graph_.table.insert(graph_.table.end(), numbers.begin(), numbers.end());
      return;
    }
  }
};

}  // namespace

void merge_gelu(TileGraph& graph) { GeluMerger(graph).run(); }

}  // namespace kernels
}  // namespace systolic::inline v0
