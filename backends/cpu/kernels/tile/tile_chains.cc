// Merging of long chains of instructions: polynomials with known coefficients, as approximations of
// functions are written; positions counted axis by axis, and rotations of bits, as counter-based
// random numbers are.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/tile/tile_rewriter.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr size_t least_coefficients = 4;

class ChainMerger : TileRewriter {
 public:
  explicit ChainMerger(TileGraph& graph) : TileRewriter(graph) {}

  void run() {
    const int count = size();
    for (int n = count - 1; n >= 0; --n) {
      if (node(n).kind != TileNode::Kind::op || uses(n) == 0) continue;
      if (node(n).type == DType::f32) {
        merge_polynomial(n);
      } else if (is_integer(node(n).type)) {
        if (!merge_iotas(n)) merge_rotation(n);
      }
    }
    for (int n = 0; n < count; ++n) simplify_iota(n);
  }

 private:
  // (..(c0 x + c1) x + ..) x + cn, Horner's rule.
  struct Polynomial {
    int x = -1;
    std::vector<float> coefficients;  // the lowest power first
  };

  // Which operand of the sum `n` is a constant, where the other is a product for it alone; -1:
  // none.
  int constant_side(int n) {
    for (int side = 0; side < 2; ++side) {
      const int other = node(n).operands[1 - side];
      if (is_constant(node(n).operands[side]) && absorbable(other, TileOp::multiply)) return side;
    }
    return -1;
  }
  bool is_inner(int n) { return is_constant(n) || absorbable(n, TileOp::add); }

  bool read_polynomial(int sum, Polynomial& polynomial) {
    const int side = constant_side(sum);
    if (side < 0) return false;
    const auto& factors = node(node(sum).operands[1 - side]).operands;
    polynomial.coefficients.push_back(number_of(node(sum).operands[side]));
    for (int k = 0; k < 2; ++k) {
      const int inner = factors[k], x = factors[1 - k];
      if (!is_inner(inner) || is_constant(x) || (polynomial.x >= 0 && x != polynomial.x)) continue;
      const Polynomial before = std::exchange(polynomial, {x, polynomial.coefficients});
      if (is_constant(inner)) {
        polynomial.coefficients.push_back(number_of(inner));
        return true;
      }
      if (read_polynomial(inner, polynomial)) return true;
      polynomial = before;
    }
    return false;
  }

  bool merge_polynomial(int n) {
    Polynomial found;
    if (!is(n, TileOp::add) || !read_polynomial(n, found)) return false;
    if (found.coefficients.size() < least_coefficients) return false;
    replace(n, TileCode::polynomial, {found.x});
    node(n).parameters = {static_cast<int>(graph_.table.size()),
                          static_cast<int>(found.coefficients.size())};
    graph_.table.insert(graph_.table.end(), found.coefficients.rbegin(), found.coefficients.rend());
    return true;
  }

  // Indices times factors, summed.
  struct Term {
    int64_t inner, size;
    uint64_t factor;
  };
  bool read_terms(int n, std::vector<Term>& terms) {
    if (node(n).kind == TileNode::Kind::iota) {
      terms.push_back({node(n).iota_inner, node(n).iota_size, 1});
      return true;
    }
    if (is(n, TileOp::add)) {
      return read_terms(node(n).operands[0], terms) && read_terms(node(n).operands[1], terms);
    }
    if (!is(n, TileOp::multiply)) return false;
    const auto [a, b] = std::pair(node(n).operands[0], node(n).operands[1]);
    const int index = is_constant(a) ? b : a, factor = is_constant(a) ? a : b;
    if (!is_constant(factor) || node(index).kind != TileNode::Kind::iota) return false;
    terms.push_back({node(index).iota_inner, node(index).iota_size, node(factor).bits});
    return true;
  }

  // Indices along neighbouring axes, each times what lies inside of it, are one index.
  bool merge_iotas(int n) {
    std::vector<Term> terms;
    if (!is(n, TileOp::add) || !read_terms(n, terms)) return false;
    std::erase_if(terms, [](const Term& term) { return term.size == 1; });
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return a.inner < b.inner; });
    if (terms.empty()) return false;
    const int64_t inner = terms[0].inner;
    int64_t size = 1;
    for (const Term& term : terms) {
      const bool next = term.inner == inner * size && term.factor == static_cast<uint64_t>(size);
      if (!next) return false;
      size *= term.size;
    }
    release_operands(n);
    node(n).kind = TileNode::Kind::iota;
    node(n).iota_inner = inner;
    node(n).iota_size = size;
    return true;
  }

  // x << r | x >> (bits - r)
  bool merge_rotation(int n) {
    const DType type = node(n).type;
    if (!is(n, TileOp::or_) || (type != DType::u32 && type != DType::u64)) return false;
    const auto bits = static_cast<uint64_t>(8 * byte_width(type));
    for (int side = 0; side < 2; ++side) {
      const int left = node(n).operands[side], right = node(n).operands[1 - side];
      if (!absorbable(left, TileOp::shift_left)) continue;
      if (!absorbable(right, TileOp::shift_right_logical)) continue;
      const auto [x, up] = std::pair(node(left).operands[0], node(left).operands[1]);
      const auto [same, down] = std::pair(node(right).operands[0], node(right).operands[1]);
      if (x != same || !is_constant(up) || !is_constant(down)) continue;
      const uint64_t shift = node(up).bits;
      if (shift == 0 || shift >= bits || shift + node(down).bits != bits) continue;
      replace(n, TileCode::rotate_left, {x});
      node(n).parameters = {static_cast<int>(shift), 0};
      return true;
    }
    return false;
  }

  // An index as another integer type is an index, and its bits above the largest one are 0.
  void simplify_iota(int n) {
    const bool converts = node(n).kind == TileNode::Kind::op && node(n).code == TileCode::convert;
    const bool shifts = is(n, TileOp::shift_right_logical);
    if (!(converts || shifts) || node(n).operand_count == 0 || !is_integer(node(n).type)) return;
    const TileNode from = node(node(n).operands[0]);
    if (!is_integer(from.type)) return;
    if (from.kind == TileNode::Kind::constant) {
      if (converts && from.bits == 0) make_zero(n);
      return;
    }
    const auto bits = static_cast<uint64_t>(8 * byte_width(from.type));
    const bool counts = from.kind == TileNode::Kind::iota &&
                        (bits == 64 || from.iota_size <= int64_t{1} << (bits - 1));
    if (!counts) return;
    if (converts) {
      release_operands(n);
      node(n).kind = TileNode::Kind::iota;
      node(n).iota_inner = from.iota_inner;
      node(n).iota_size = from.iota_size;
    } else if (is_constant(node(n).operands[1])) {
      const uint64_t shift = node(node(n).operands[1]).bits;
      if (shift < 63 && (from.iota_size - 1) >> shift == 0) make_zero(n);
    }
  }
  void make_zero(int n) {
    release_operands(n);
    node(n).kind = TileNode::Kind::constant;
    node(n).bits = 0;
  }
};

}  // namespace

void merge_chains(TileGraph& graph) { ChainMerger(graph).run(); }

}  // namespace kernels
}  // namespace systolic::inline v0
