#include "backends/cpu/fuse/normalize_gradient_pattern.h"

#include <algorithm>
#include <iterator>
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

// How many rows make one sum of columns: they divide the rows, lie in a second-level cache beside
// what else a chain reads, and leave enough parts for several threads. 0: too few for the sums to
// be much less than the rows.
int64_t rows_of_a_sum(int64_t rows, int64_t columns) {
  constexpr int64_t most_elements = 12288, least_rows = 8, least_parts = 8;
  int64_t count = std::min(most_elements / columns, rows / least_parts);
  while (count >= least_rows && rows % count != 0) --count;
  return count >= least_rows ? count : 0;
}

class NormalizeGradientReader : RowReader {
 public:
  using RowReader::RowReader;

  // In the order in which the gradient is made, from its end.
  std::optional<Group> read(const Op& negate, bool with_sums) const {
    const Op* flow = made_by(negate.operands[0], OpCode::add);
    if (flow == nullptr || !suits(*flow)) return std::nullopt;
    Reading reading{.shape = planner().type(flow->results[0]).shape};
    const bool found = read_mean(*flow, negate, reading) && read_flow(*flow, reading);
    if (!found) return std::nullopt;
    read_scale(reading);
    if (with_sums && !read_sums(reading)) return std::nullopt;
    if (reads_itself(reading)) return std::nullopt;
    std::sort(reading.ops.begin(), reading.ops.end());  // they lie in one array, in program order
    return Group{.ops = std::move(reading.ops), .kind = reading.gradient};
  }

 private:
  struct Reading {
    Shape shape;
    std::vector<const Op*> ops = {};
    NormalizationGradient gradient = {};
    const Op* last = nullptr;
    ValueId scaled = ir::no_value;  // the gradient of normalized rows
  };

  bool suits(const Op& flow) const {
    const ir::Type& type = planner().type(flow.results[0]);
    if (type.dtype != DType::f32 || type.shape.rank() < 1) return false;
    return planner().uses(flow.results[0]) == 2 &&
           type.shape[-1] >= kernels::least_normalized_columns &&
           type.shape[-1] <= kernels::most_normalized_columns;
  }

  // flow + broadcast(number * sum of rows of -flow), or (others + flow) + broadcast(...) where
  // something else has flowed back to the rows before.
  bool read_mean(const Op& flow, const Op& negate, Reading& reading) const {
    const Op* sum = first_reader_by(flow, OpCode::add);
    if (sum == nullptr || !is_read_once(negate)) return false;
    ValueId mean = other_operand(*sum, flow.results[0]);
    if (repeated_in_rows(mean, reading.shape) == nullptr) {
      const Op* last = is_read_once(*sum) ? first_reader_by(*sum, OpCode::add) : nullptr;
      if (last == nullptr) return false;
      reading.gradient.others = mean;
      reading.ops.push_back(sum);
      mean = other_operand(*last, sum->results[0]);
      sum = last;
    }
    const Op* multiply = repeated_in_rows(mean, reading.shape);
    const bool multiplies = multiply != nullptr && multiply->code == OpCode::multiply;
    const auto sums = multiplies && is_read_alone(mean) ? scaled_sum(*multiply) : std::nullopt;
    if (!sums || sums->sum->operands[0] != negate.results[0]) return false;
    reading.ops.insert(reading.ops.end(), {&negate, sums->sum, multiply, sum});
    reading.last = sum;
    reading.gradient.mean_factor = sums->factor;
    reading.gradient.result = sum->results[0];
    return true;
  }

  // The three that the flow adds up: one, and another twice.
  bool read_flow(const Op& flow, Reading& reading) const {
    reading.ops.push_back(&flow);
    for (const ValueId outer : flow.operands) {
      const Op* inner = read_once(other_operand(flow, outer), OpCode::add);
      if (inner == nullptr || !reads(*inner, outer)) continue;
      reading.ops.push_back(inner);
      return read_variance(outer, reading) && read_scaling(other_operand(*inner, outer), reading);
    }
    return false;
  }

  // Through the variance: broadcast(number for each row) * centered.
  bool read_variance(ValueId value, Reading& reading) const {
    const Op* multiply = made_by(value, OpCode::multiply);
    if (multiply == nullptr || planner().uses(value) != 2) return false;
    reading.ops.push_back(multiply);
    for (const ValueId repeated : multiply->operands) {
      const Op* number = repeated_in_rows(repeated, reading.shape);
      if (number == nullptr || number->code != OpCode::multiply) continue;
      reading.gradient.centered = other_operand(*multiply, repeated);
      return is_read_alone(repeated) && read_row_factor(*number, reading);
    }
    return false;
  }

  // The op of the block that makes the value, of whatever shape.
  const Op* numbers_of(ValueId value) const {
    const Op* op = in_block(planner().definition(value));
    const bool reshapes = op != nullptr && op->code == OpCode::reshape;
    return reshapes ? in_block(planner().definition(op->operands[0])) : op;
  }

  // number * (sum of rows * (inverse^3 * number)).
  bool read_row_factor(const Op& multiply, Reading& reading) const {
    const auto scaled = with_number(multiply);
    const Op* product = scaled ? numbers_of(scaled->other) : nullptr;
    if (product == nullptr || product->code != OpCode::multiply) return false;
    if (!is_read_alone(scaled->other)) return false;
    reading.ops.insert(reading.ops.end(), {&multiply, product});
    for (const ValueId side : product->operands) {
      const Op* sum = numbers_of(side);
      if (sum == nullptr || !folds_rows(*sum, kernels::ReduceKind::sum, 0)) continue;
      reading.ops.push_back(sum);
      const auto cube = read_cube(other_operand(*product, side), reading);
      if (!cube || !is_read_alone(side)) return false;
      reading.gradient.variance_factor = 2 * *cube * scaled->number;  // it is added twice
      return read_row_products(sum->operands[0], reading);
    }
    return false;
  }

  // The number that multiplies inverse * inverse * inverse.
  std::optional<float> read_cube(ValueId value, Reading& reading) const {
    const Op* scaled = read_once(value, OpCode::multiply);
    const auto number = scaled != nullptr ? with_number(*scaled) : std::nullopt;
    const Op* cube = number ? read_once(number->other, OpCode::multiply) : nullptr;
    if (cube == nullptr) return std::nullopt;
    for (const ValueId inverse : cube->operands) {
      const Op* square = read_once(other_operand(*cube, inverse), OpCode::multiply);
      if (square == nullptr || square->operands[0] != inverse || square->operands[1] != inverse) {
        continue;
      }
      reading.gradient.inverse = inverse;
      reading.ops.insert(reading.ops.end(), {scaled, cube, square});
      return number->number;
    }
    return std::nullopt;
  }

  // scaled * centered, which is summed.
  bool read_row_products(ValueId value, Reading& reading) const {
    const Op* products = read_once(value, OpCode::multiply);
    if (products == nullptr || !reads(*products, reading.gradient.centered)) return false;
    reading.ops.push_back(products);
    reading.scaled = other_operand(*products, reading.gradient.centered);
    return true;
  }

  // Whether the op is x * broadcast(inverse).
  bool scales_by_inverse(const Op& multiply, ValueId x, const Reading& reading) const {
    const Op* inverse = in_block(planner().definition(reading.gradient.inverse));
    return inverse != nullptr && reads(multiply, x) &&
           repeated_in_rows(other_operand(multiply, x), reading.shape) == inverse;
  }

  bool read_scaling(ValueId value, Reading& reading) const {
    const Op* multiply = read_once(value, OpCode::multiply);
    if (multiply == nullptr || !scales_by_inverse(*multiply, reading.scaled, reading)) return false;
    reading.ops.push_back(multiply);
    return true;
  }

  // gradient * broadcast(scale), or the gradient itself.
  void read_scale(Reading& reading) const {
    NormalizationGradient& gradient = reading.gradient;
    gradient.gradient = reading.scaled;
    const Op* multiply = made_by(reading.scaled, OpCode::multiply);
    if (multiply == nullptr || planner().uses(reading.scaled) != 2) return;
    for (const ValueId repeated : multiply->operands) {
      gradient.scale = repeated_for_rows(repeated, reading.shape);
      if (gradient.scale == ir::no_value) continue;
      gradient.gradient = other_operand(*multiply, repeated);
      reading.ops.push_back(multiply);
      return;
    }
  }

  // False where there are none.
  bool read_sums(Reading& reading) const {
    NormalizationGradient& gradient = reading.gradient;
    const int64_t columns = reading.shape[-1];
    gradient.rows_of_a_sum = rows_of_a_sum(reading.shape.elements() / columns, columns);
    if (gradient.rows_of_a_sum == 0) return false;
    for (const Op* op = block().ops.data(); op < reading.last; ++op) {
      if (!sums_columns(*op)) continue;
      const Op* products = read_once(op->operands[0], OpCode::multiply);
      if (op->operands[0] == gradient.gradient && gradient.offset_sums == ir::no_value) {
        gradient.offset_sums = op->results[0];
        reading.ops.push_back(op);
      } else if (products != nullptr && gradient.scale_sums == ir::no_value &&
                 multiplies_normalized(*products, reading)) {
        gradient.scale_sums = op->results[0];
        gradient.normalized = other_operand(*products, gradient.gradient);
        reading.ops.insert(reading.ops.end(), {op, products});
      }
    }
    return gradient.offset_sums != ir::no_value || gradient.scale_sums != ir::no_value;
  }

  // What is read must be there before the pattern is, and be none of its own sums.
  bool reads_itself(const Reading& reading) const {
    const NormalizationGradient& g = reading.gradient;
    const ValueId operands[] = {g.gradient, g.scale, g.centered, g.inverse, g.others};
    return std::any_of(std::begin(operands), std::end(operands), [&](ValueId value) {
      return value != ir::no_value &&
             std::count(reading.ops.begin(), reading.ops.end(), maker(value)) > 0;
    });
  }

  // gradient * (centered * broadcast(inverse)).
  bool multiplies_normalized(const Op& products, const Reading& reading) const {
    if (!reads(products, reading.gradient.gradient)) return false;
    const ValueId normalized = other_operand(products, reading.gradient.gradient);
    const Op* multiply = made_by(normalized, OpCode::multiply);
    return multiply != nullptr && scales_by_inverse(*multiply, reading.gradient.centered, reading);
  }
};

}  // namespace

std::optional<Group> normalize_gradient_pattern(const Planner& planner, const ir::Block& block,
                                                const ir::Op& negate, bool with_sums) {
  return NormalizeGradientReader(planner, block).read(negate, with_sums);
}

}  // namespace cpu
}  // namespace systolic::inline v0
