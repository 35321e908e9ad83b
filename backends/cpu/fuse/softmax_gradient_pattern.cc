#include "backends/cpu/fuse/softmax_gradient_pattern.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "backends/cpu/fuse/row_reader.h"
#include "backends/cpu/fuse/softmax_pattern.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::Op;
using ir::OpCode;
using ir::ValueId;

class SoftmaxGradientReader : RowReader {
 public:
  using RowReader::RowReader;

  // From the sums' part of the gradient to what it is added to.
  std::optional<Group> read(const Op& negate) const {
    const Op* products = read_once(negate.operands[0], OpCode::multiply);
    if (products == nullptr || !is_read_once(negate)) return std::nullopt;
    for (const ValueId shares : products->operands) {
      Reading reading{.shape = planner().type(shares).shape, .ops = {products, &negate}};
      const bool found = read_shares(shares, reading) &&
                         read_flow(other_operand(*products, shares), reading) &&
                         read_end(negate, reading);
      if (!found) continue;
      std::sort(reading.ops.begin(), reading.ops.end());  // they lie in one array, in program order
      return Group{.ops = std::move(reading.ops), .kind = reading.gradient};
    }
    return std::nullopt;
  }

 private:
  struct Reading {
    Shape shape;
    std::vector<const Op*> ops;
    SoftmaxGradient gradient = {};
    const Op* sum = nullptr;
    const Op* flow = nullptr;  // what flows back to the exponentials through the division
  };

  // A softmax's exponentials divided by their sums.
  bool read_shares(ValueId shares, Reading& reading) const {
    const Op* divide = made_by(shares, OpCode::divide);
    const Op* exponential =
        divide == nullptr ? nullptr : made_by(divide->operands[0], OpCode::exponential);
    if (exponential == nullptr) return false;
    const std::optional<Group> pattern = softmax_pattern(planner(), block(), *exponential);
    if (!pattern) return false;
    reading.sum = std::get<Softmax>(pattern->kind).sum;
    reading.gradient.exponentials = exponential->results[0];
    reading.gradient.sums = reading.sum->results[0];
    if (repeated_in_rows(divide->operands[1], reading.shape) != reading.sum) return false;
    reading.gradient.shares = shares;
    reading.gradient.reads_shares = planner().uses(shares) > 1;
    return true;
  }

  // gradient / broadcast(sums), for the exponentials and for their sums. The exponentials cannot be
  // the gradient: these quotients would be the shares.
  bool read_flow(ValueId flow, Reading& reading) const {
    reading.flow = made_by(flow, OpCode::divide);
    if (reading.flow == nullptr || planner().uses(flow) != 2) return false;
    reading.gradient.gradient = reading.flow->operands[0];
    reading.ops.push_back(reading.flow);
    return lies_in_rows(reading.gradient.gradient) &&
           repeated_in_rows(reading.flow->operands[1], reading.shape) == reading.sum;
  }

  // Elementwise ops read views as they are, for which the kernel would need a copy.
  bool lies_in_rows(ValueId value) const {
    const Op* op = planner().definition(value);
    return op == nullptr || !is_view_op(op->code) || keeps_positions(planner(), *op);
  }

  // (flow + broadcast(sum of rows of negate)) * exponentials.
  bool read_end(const Op& negate, Reading& reading) const {
    const Op* sum = first_reader(negate);
    const Op* add = first_reader_by(*reading.flow, OpCode::add);
    if (sum == nullptr || !folds_rows(*sum, kernels::ReduceKind::sum, 0)) return false;
    if (add == nullptr || !is_read_once(*add)) return false;
    const ValueId repeated = other_operand(*add, reading.flow->results[0]);
    if (repeated_in_rows(repeated, reading.shape) != sum || !is_read_alone(repeated)) return false;
    const Op* multiply = first_reader(*add);
    const bool ends = multiply != nullptr && multiply->code == OpCode::multiply &&
                      other_operand(*multiply, add->results[0]) == reading.gradient.exponentials;
    if (!ends) return false;
    reading.gradient.result = multiply->results[0];
    reading.ops.insert(reading.ops.end(), {sum, add, multiply});
    return true;
  }
};

}  // namespace

std::optional<Group> softmax_gradient_pattern(const Planner& planner, const ir::Block& block,
                                              const ir::Op& negate) {
  return SoftmaxGradientReader(planner, block).read(negate);
}

}  // namespace cpu
}  // namespace systolic::inline v0
