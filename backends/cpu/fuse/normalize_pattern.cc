#include "backends/cpu/fuse/normalize_pattern.h"

#include <algorithm>

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

  std::optional<Pattern> read(const Op& rsqrt, bool whole) const {
    Pattern pattern{.kind = Pattern::Kind::normalize, .ops = {&rsqrt}};
    const Op* center = read_statistics(rsqrt, pattern);
    if (center == nullptr) return std::nullopt;
    Normalization& normalization = pattern.normalization;
    if (whole && !read_tail(*center, rsqrt, pattern)) return std::nullopt;
    const int reads = 2 + (whole ? 1 : 0);  // in the square, and in the tail
    if (!whole || planner().uses(center->results[0]) > reads) {
      normalization.centered = center->results[0];
    }
    if (!whole) normalization.inverse = rsqrt.results[0];
    std::sort(pattern.ops.begin(), pattern.ops.end());  // ops lie in one array, in program order
    return pattern;
  }

 private:
  struct WithNumber {
    ValueId other = ir::no_value;
    float number = 0;
  };
  // The operands of an op that commutes, one of which is the same number everywhere.
  std::optional<WithNumber> with_number(const Op& op) const {
    for (size_t i : {1, 0}) {
      const std::optional<Literal> splat = planner().splat(op.operands[i]);
      if (splat) return WithNumber{op.operands[1 - i], static_cast<float>(splat->number_at(0))};
    }
    return std::nullopt;
  }

  struct ScaledSum {
    const Op* sum = nullptr;
    float factor = 0;
  };
  // multiply(sums of rows, number), where nothing but it reads the sums.
  std::optional<ScaledSum> scaled_sum(const Op& multiply) const {
    const std::optional<WithNumber> scaled = with_number(multiply);
    if (!scaled) return std::nullopt;
    const Op* source = in_block(planner().definition(scaled->other));
    if (source != nullptr && source->code == OpCode::reshape && is_read_once(*source)) {
      source = made_by(source->operands[0], OpCode::reduce);
    }
    const bool sums = source != nullptr && is_read_once(*source) &&
                      folds_rows(*source, kernels::ReduceKind::sum, 0);
    return sums ? std::optional(ScaledSum{source, scaled->number}) : std::nullopt;
  }

  const Op* read_once(ValueId value, OpCode code) const {
    const Op* op = made_by(value, code);
    return op != nullptr && is_read_once(*op) ? op : nullptr;
  }

  bool suits(const Op& center) const {
    const ir::Type& type = planner().type(center.results[0]);
    if (type.dtype != DType::f32 || type.shape.rank() < 1) return false;
    return type.shape[-1] >= kernels::least_normalized_columns &&
           type.shape[-1] <= kernels::most_normalized_columns;
  }

  // Up to the inverse deviation. Returns the subtraction of the mean; null where it is not that.
  const Op* read_statistics(const Op& rsqrt, Pattern& pattern) const {
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
    if (mean == nullptr || mean->code != OpCode::multiply || !is_read_once(*mean)) return nullptr;
    const auto sums = scaled_sum(*mean);
    if (!sums || sums->sum->operands[0] != center->operands[0]) return nullptr;
    pattern.ops.insert(pattern.ops.end(),
                       {add, variance, squares->sum, square, center, mean, sums->sum});
    pattern.normalization = {.x = center->operands[0],
                             .mean_factor = sums->factor,
                             .variance_factor = squares->factor,
                             .epsilon = epsilon->number};
    return center;
  }

  // The first op of the block to read it.
  const Op* first_reader(ValueId value) const {
    const auto found = std::find_if(block().ops.begin(), block().ops.end(),
                                    [&](const Op& op) { return reads(op, value); });
    return found == block().ops.end() ? nullptr : &*found;
  }

  // Where the value meets numbers for each column next, by an op of this code: the op.
  const Op* meets_columns(ValueId value, OpCode code, ValueId& columns) const {
    const Op* op = first_reader(value);
    if (op == nullptr || op->code != code) return nullptr;
    const ValueId other = op->operands[op->operands[0] == value ? 1 : 0];
    columns = repeated_for_rows(other, planner().type(value).shape);
    return columns == ir::no_value ? nullptr : op;
  }

  bool read_tail(const Op& center, const Op& rsqrt, Pattern& pattern) const {
    const Shape& shape = planner().type(center.results[0]).shape;
    const auto normalizes = [&](const Op& op, bool alone) {
      if (op.code != OpCode::multiply || !reads(op, center.results[0])) return false;
      const ValueId other = op.operands[op.operands[0] == center.results[0] ? 1 : 0];
      return repeated_in_rows(other, shape, alone) == &rsqrt;
    };
    const auto found = std::find_if(block().ops.begin(), block().ops.end(),
                                    [&](const Op& op) { return normalizes(op, false); });
    if (found == block().ops.end()) return false;
    Normalization& normalization = pattern.normalization;
    if (!is_read_once(rsqrt) || !normalizes(*found, true)) {
      normalization.inverse = rsqrt.results[0];
    }
    const Op* last = &*found;
    pattern.ops.push_back(last);
    for (const auto& [code, columns] : {std::pair{OpCode::multiply, &normalization.scale},
                                        std::pair{OpCode::add, &normalization.offset}}) {
      if (last != &*found && !is_read_once(*last)) break;  // only the first may be stored as well
      const Op* next = meets_columns(last->results[0], code, *columns);
      if (next == nullptr) continue;
      last = next;
      pattern.ops.push_back(last);
    }
    if (last != &*found && !is_read_once(*found)) normalization.normalized = found->results[0];
    normalization.result = last->results[0];
    const Op* reader = first_reader(normalization.result);
    return reader == nullptr || !ir::is_elementwise(reader->code);
  }
};

}  // namespace

std::optional<Pattern> normalize_pattern(const Planner& planner, const ir::Block& block,
                                         const ir::Op& rsqrt, bool whole) {
  return NormalizeReader(planner, block).read(rsqrt, whole);
}

}  // namespace cpu
}  // namespace systolic::inline v0
