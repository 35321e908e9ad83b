#include "backends/cpu/fuse/normalize_pattern.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/cpu/fuse/row_reader.h"
#include "backends/cpu/kernels/reduce/normalize_rows.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::Op;
using ir::OpCode;
using ir::ValueId;

class NormalizeReader : RowReader {
 public:
  using RowReader::RowReader;

  std::optional<Group> read(const Op& rsqrt, bool whole) const {
    Ops ops{&rsqrt};
    Normalization normalization;
    const Op* center = read_statistics(rsqrt, ops, normalization);
    if (center == nullptr) return std::nullopt;
    if (whole && !read_tail(*center, rsqrt, ops, normalization)) return std::nullopt;
    const int reads = 2 + (whole ? 1 : 0);  // in the square, and in the tail
    if (!whole || planner().uses(center->results[0]) > reads) {
      normalization.centered = center->results[0];
    }
    if (!whole) normalization.inverse = rsqrt.results[0];
    std::sort(ops.begin(), ops.end());  // ops lie in one array, in program order
    return Group{.ops = std::move(ops), .kind = normalization};
  }

 private:
  using Ops = std::vector<const Op*>;

  bool suits(const Op& center) const {
    const ir::Type& type = planner().type(center.results[0]);
    if (type.dtype != DType::f32 || type.shape.rank() < 1) return false;
    return type.shape[-1] >= kernels::least_normalized_columns &&
           type.shape[-1] <= kernels::most_normalized_columns;
  }

  // Up to the inverse deviation. Returns the subtraction of the mean; null where it is not that.
  const Op* read_statistics(const Op& rsqrt, Ops& ops, Normalization& normalization) const {
    const Op* add = read_once(rsqrt.operands[0], OpCode::add);
    const auto epsilon = add != nullptr ? with_number(*add) : std::nullopt;
    const Op* variance = epsilon ? read_once(epsilon->other, OpCode::multiply) : nullptr;
    const auto squares = variance != nullptr ? scaled_sum(*variance) : std::nullopt;
    const Op* square = squares ? read_once(squares->sum->operands[0], OpCode::multiply) : nullptr;
    if (square == nullptr || square->operands[0] != square->operands[1]) return nullptr;
    const Op* center = made_by(square->operands[0], OpCode::subtract);
    if (center == nullptr || !suits(*center)) return nullptr;
    const Op* mean =
        repeated_in_rows(center->operands[1], planner().type(center->results[0]).shape);
    if (mean == nullptr || mean->code != OpCode::multiply) return nullptr;
    if (!is_read_alone(center->operands[1])) return nullptr;
    const auto sums = scaled_sum(*mean);
    if (!sums || sums->sum->operands[0] != center->operands[0]) return nullptr;
    ops.insert(ops.end(), {add, variance, squares->sum, square, center, mean, sums->sum});
    normalization = {.x = center->operands[0],
                     .mean_factor = sums->factor,
                     .variance_factor = squares->factor,
                     .epsilon = epsilon->number};
    return center;
  }

  // What is left above the mean, multiplied by the inverse deviation of its row: the op, or null.
  const Op* find_normalized(const Op& center, const Op& rsqrt) const {
    const ValueId centered = center.results[0];
    const Shape& shape = planner().type(centered).shape;
    const Op* end = block().ops.data() + block().ops.size();
    const Op* found = std::find_if(&rsqrt + 1, end, [&](const Op& op) {
      return op.code == OpCode::multiply && reads(op, centered) &&
             repeated_in_rows(other_operand(op, centered), shape) == &rsqrt;
    });
    return found == end ? nullptr : found;
  }

  // Where the op's result meets numbers for each column next, by an op of this code: that op. They
  // must be there before the pattern is, so that none may be its own.
  const Op* meets_columns(const Op& op, OpCode code, const Ops& ops, ValueId& columns) const {
    const Op* next = first_reader(op);
    if (next == nullptr || next->code != code) return nullptr;
    const ValueId found =
        repeated_for_rows(other_operand(*next, op.results[0]), planner().type(op.results[0]).shape);
    if (found == ir::no_value) return nullptr;
    if (std::count(ops.begin(), ops.end(), maker(found)) > 0) return nullptr;
    columns = found;
    return next;
  }

  // The scale and the offset, as far as they follow. Returns the last op.
  const Op* add_affine(const Op& normalized, Ops& ops, Normalization& normalization) const {
    const Op* last = &normalized;
    if (const Op* scaled = meets_columns(normalized, OpCode::multiply, ops, normalization.scale)) {
      ops.push_back(scaled);
      if (!is_read_once(*scaled)) return scaled;
      last = scaled;
    }
    if (const Op* sum = meets_columns(*last, OpCode::add, ops, normalization.offset)) {
      ops.push_back(sum);
      last = sum;
    }
    return last;
  }

  // False where elementwise ops go on from the result.
  bool read_tail(const Op& center, const Op& rsqrt, Ops& ops, Normalization& normalization) const {
    const Op* normalized = find_normalized(center, rsqrt);
    if (normalized == nullptr) return false;
    const bool others_read_inverse = !is_read_alone(other_operand(*normalized, center.results[0]));
    if (others_read_inverse) normalization.inverse = rsqrt.results[0];
    ops.push_back(normalized);
    const Op* last = add_affine(*normalized, ops, normalization);
    const bool others_read_normalized = last != normalized && !is_read_once(*normalized);
    if (others_read_normalized) normalization.normalized = normalized->results[0];
    normalization.result = last->results[0];
    const Op* next = first_reader(*last);
    return next == nullptr || !ir::is_elementwise(next->code);
  }
};

}  // namespace

std::optional<Group> normalize_pattern(const Planner& planner, const ir::Block& block,
                                       const ir::Op& rsqrt, bool whole) {
  return NormalizeReader(planner, block).read(rsqrt, whole);
}

}  // namespace cpu
}  // namespace systolic::inline v0
