// Merging of GELU and of its gradient, as their formulas are written: Hendrycks and Gimpel,
// "Gaussian Error Linear Units", 2016.
#include <algorithm>
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
  // The product x c where n is 1 + erf(x c) for one op that reads it; else -1.
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

  // A product of several: its constants as one, and the others, of which nobody asks for more than
  // three.
  struct Factors {
    float constant = 1;
    std::vector<int> others = {};
  };
  Factors factors_of(int n) {
    Factors factors;
    std::vector<int> open{n};
    while (!open.empty() && factors.others.size() <= 3) {
      const int next = open.back();
      open.pop_back();
      if (is_constant(next)) {
        factors.constant *= number_of(next);
      } else if (absorbable(next, TileOp::multiply)) {
        open.insert(open.end(), {node(next).operands[0], node(next).operands[1]});
      } else {
        factors.others.push_back(next);
      }
    }
    return factors;
  }

  // g (1 + erf(argument)), besides a constant.
  struct Slope {
    int g = -1, argument = -1;
  };
  std::optional<Slope> read_slope(const std::vector<int>& factors) {
    if (factors.size() != 2) return std::nullopt;
    for (size_t side : {0, 1}) {
      const int argument = argument_of_erf(factors[side]);
      if (argument >= 0) return Slope{factors[1 - side], argument};
    }
    return std::nullopt;
  }

  // Whether n is exp(-(argument argument)), for one op that reads it.
  bool is_bell_of(int n, int argument) {
    if (!absorbable(n, TileOp::exponential)) return false;
    const int negated = node(n).operands[0];
    if (!absorbable(negated, TileOp::negate)) return false;
    const int square = node(negated).operands[0];
    return absorbable(square, TileOp::multiply) && node(square).operands[0] == argument &&
           node(square).operands[1] == argument;
  }

  // The third of three factors, of which one is g and one the bell; -1: it is not so.
  int beside_bell(std::vector<int> factors, const Slope& slope) {
    if (factors.size() != 3) return -1;
    const auto take = [&](auto found) {
      if (found == factors.end()) return false;
      factors.erase(found);
      return true;
    };
    const auto is_bell = [&](int n) { return is_bell_of(n, slope.argument); };
    const bool both = take(std::find_if(factors.begin(), factors.end(), is_bell)) &&
                      take(std::find(factors.begin(), factors.end(), slope.g));
    return both ? factors[0] : -1;
  }

  // p g (1 + erf(x c)) + q g x exp(-(x c)^2) for constants c, p and q, its factors in any order.
  void merge_gradient(int n) {
    for (int side = 0; side < 2; ++side) {
      const Factors first = factors_of(node(n).operands[side]);
      const auto slope = read_slope(first.others);
      if (!slope) continue;
      const Factors second = factors_of(node(n).operands[1 - side]);
      const int x = beside_bell(second.others, *slope);
      const auto scaled = node(slope->argument).operands;
      if (x < 0 || (scaled[0] != x && scaled[1] != x)) continue;
      const int c = scaled[scaled[0] == x ? 1 : 0];
      if (!is_constant(c)) continue;
      std::array<float, gelu_number_count> numbers{};
      numbers[gelu_c] = number_of(c);
      numbers[gelu_p] = first.constant;
      numbers[gelu_q] = second.constant;
      replace(n, TileCode::gelu_gradient, {slope->g, x});
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
