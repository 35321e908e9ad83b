#include "backends/cpu/fuse/softmax_pattern.h"

#include <algorithm>
#include <cmath>

#include "backends/cpu/fuse/row_reader.h"
#include "backends/cpu/kernels/reduce/softmax_rows.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

class SoftmaxReader : RowReader {
 public:
  using RowReader::RowReader;

  std::optional<Group> read(const ir::Op& exponential) const {
    const ir::Type& type = planner().type(exponential.results[0]);
    if (type.dtype != DType::f32 || type.shape.rank() < 1 || !suits(type.shape[-1])) return {};
    const ir::Op* subtract = in_block(planner().definition(exponential.operands[0]));
    if (subtract == nullptr || subtract->code != ir::OpCode::subtract || !is_read_once(*subtract)) {
      return {};
    }
    const ir::Op* largest = repeated_in_rows(subtract->operands[1], type.shape);
    const bool is_largest = largest != nullptr && is_read_alone(subtract->operands[1]) &&
                            largest->operands[0] == subtract->operands[0] &&
                            folds_rows(*largest, kernels::ReduceKind::maximum, -INFINITY);
    if (!is_largest || planner().uses(exponential.results[0]) < 2) return {};
    const ir::Op* sum = sum_of(exponential.results[0]);
    if (sum == nullptr) return {};
    const Softmax softmax{.largest = largest,
                          .exponential = &exponential,
                          .sum = sum,
                          .divide = division(exponential, *sum)};
    Group pattern{.ops = {largest, subtract, &exponential, sum}, .kind = softmax};
    if (softmax.divide != nullptr) pattern.ops.push_back(softmax.divide);
    return pattern;
  }

 private:
  static bool suits(int64_t columns) {
    return columns >= kernels::least_softmax_columns && columns <= kernels::most_softmax_columns;
  }

  const ir::Op* sum_of(ir::ValueId exponentials) const {
    const ir::Op* found = nullptr;
    for (const ir::Op& op : block().ops) {
      if (!reads(op, exponentials) || !folds_rows(op, kernels::ReduceKind::sum, 0)) continue;
      if (found != nullptr) return nullptr;
      found = &op;
    }
    return found;
  }

  // The division of all exponentials by their sums, where nothing but it reads either. One that
  // elementwise ops read runs with these.
  const ir::Op* division(const ir::Op& exponential, const ir::Op& sum) const {
    if (planner().uses(exponential.results[0]) != 2) return nullptr;
    const ir::Op* divide = nullptr;
    for (const ir::Op& op : block().ops) {
      if (op.code == ir::OpCode::divide && op.operands[0] == exponential.results[0]) divide = &op;
    }
    if (divide == nullptr) return nullptr;
    const Shape& shape = planner().type(exponential.results[0]).shape;
    const ir::ValueId sums = divide->operands[1];
    if (repeated_in_rows(sums, shape) != &sum || !is_read_alone(sums)) return nullptr;
    const bool goes_on = std::any_of(block().ops.begin(), block().ops.end(), [&](const ir::Op& op) {
      return ir::is_elementwise(op.code) && reads(op, divide->results[0]);
    });
    return goes_on ? nullptr : divide;
  }
};

}  // namespace

std::optional<Group> softmax_pattern(const Planner& planner, const ir::Block& block,
                                     const ir::Op& exponential) {
  return SoftmaxReader(planner, block).read(exponential);
}

}  // namespace cpu
}  // namespace systolic::inline v0
