#include "backends/cpu/fuse/softmax_pattern.h"

#include <algorithm>
#include <cmath>

#include "backends/cpu/kernels/reduce/softmax_rows.h"
#include "backends/cpu/rewrite/fold_kind.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool reads(const ir::Op& op, ir::ValueId value) {
  return std::count(op.operands.begin(), op.operands.end(), value) > 0;
}

class Reader {
 public:
  Reader(const Planner& planner, const ir::Block& block) : planner_(planner), block_(block) {}

  std::optional<Pattern> read(const ir::Op& exponential) const {
    const ir::Type& type = planner_.type(exponential.results[0]);
    if (type.dtype != DType::f32 || type.shape.rank() < 1 || !suits(type.shape[-1])) return {};
    const ir::Op* subtract = in_block(planner_.definition(exponential.operands[0]));
    if (subtract == nullptr || subtract->code != ir::OpCode::subtract || !read_once(*subtract)) {
      return {};
    }
    const ir::Op* largest = row_fold(subtract->operands[1], type.shape);
    const bool is_largest = largest != nullptr && read_once(*largest) &&
                            largest->operands[0] == subtract->operands[0] &&
                            folds_rows(*largest, kernels::ReduceKind::maximum, -INFINITY);
    if (!is_largest || planner_.uses(exponential.results[0]) < 2) return {};
    const ir::Op* sum = sum_of(exponential.results[0]);
    if (sum == nullptr) return {};
    Pattern pattern{.kind = Pattern::Kind::softmax, .ops = {largest, subtract, &exponential, sum}};
    if (const ir::Op* divide = division(exponential, *sum)) pattern.ops.push_back(divide);
    return pattern;
  }

 private:
  static bool suits(int64_t columns) {
    return columns >= kernels::least_softmax_columns && columns <= kernels::most_softmax_columns;
  }
  const ir::Op* in_block(const ir::Op* op) const {
    const bool inside =
        op != nullptr && op >= block_.ops.data() && op < block_.ops.data() + block_.ops.size();
    return inside ? op : nullptr;
  }
  bool read_once(const ir::Op& op) const { return planner_.uses(op.results[0]) == 1; }

  bool folds_rows(const ir::Op& op, kernels::ReduceKind kind, double init) const {
    if (op.code != ir::OpCode::reduce || !is_plain_reduction(planner_, op)) return false;
    if (fold_kind(op.regions[0]) != kind) return false;
    const std::optional<Literal> first = planner_.splat(op.operands[1]);
    const int rank = planner_.type(op.operands[0]).shape.rank();
    return first && first->number_at(0) == init &&
           op.get<ir::AxesAttributes>().axes == ir::Axes{rank - 1};
  }

  // The op of which `value` repeats a number for each row, where nothing else reads the views
  // between them.
  const ir::Op* row_fold(ir::ValueId value, const Shape& shape) const {
    const ir::Op* broadcast = planner_.definition(value);
    if (broadcast == nullptr || broadcast->code != ir::OpCode::broadcast_in_dim) return nullptr;
    if (!read_once(*broadcast)) return nullptr;
    const ir::Op* source = planner_.definition(broadcast->operands[0]);
    const Shape& narrow = planner_.type(broadcast->operands[0]).shape;
    const auto& axes = broadcast->get<ir::BroadcastAttributes>().dimensions;
    const int rank = shape.rank();
    if (narrow.rank() != rank && narrow.rank() != rank - 1) return nullptr;
    if (narrow.rank() == rank && narrow[-1] != 1) return nullptr;
    for (int i = 0; i < narrow.rank(); ++i) {
      if (axes[static_cast<size_t>(i)] != i) return nullptr;
      if (i < rank - 1 && narrow[i] != shape[i]) return nullptr;
    }
    // Folds leave the axis out; a reshape of as many elements as there are rows brings it back.
    if (source != nullptr && source->code == ir::OpCode::reshape && read_once(*source)) {
      source = planner_.definition(source->operands[0]);
    }
    return in_block(source);
  }

  const ir::Op* sum_of(ir::ValueId exponentials) const {
    const ir::Op* found = nullptr;
    for (const ir::Op& op : block_.ops) {
      if (!reads(op, exponentials) || !folds_rows(op, kernels::ReduceKind::sum, 0)) continue;
      if (found != nullptr) return nullptr;
      found = &op;
    }
    return found;
  }

  // The division of all exponentials by their sums, where nothing but it reads either. One that
  // elementwise ops read runs with these.
  const ir::Op* division(const ir::Op& exponential, const ir::Op& sum) const {
    if (planner_.uses(exponential.results[0]) != 2 || !read_once(sum)) return nullptr;
    const ir::Op* divide = nullptr;
    for (const ir::Op& op : block_.ops) {
      if (op.code == ir::OpCode::divide && op.operands[0] == exponential.results[0]) divide = &op;
    }
    if (divide == nullptr) return nullptr;
    const Shape& shape = planner_.type(exponential.results[0]).shape;
    if (row_fold(divide->operands[1], shape) != &sum) return nullptr;
    const bool goes_on = std::any_of(block_.ops.begin(), block_.ops.end(), [&](const ir::Op& op) {
      return ir::is_elementwise(op.code) && reads(op, divide->results[0]);
    });
    return goes_on ? nullptr : divide;
  }

  const Planner& planner_;
  const ir::Block& block_;
};

}  // namespace

std::optional<Pattern> softmax_pattern(const Planner& planner, const ir::Block& block,
                                       const ir::Op& exponential) {
  return Reader(planner, block).read(exponential);
}

}  // namespace cpu
}  // namespace systolic::inline v0
