#include "backends/cpu/rewrite/turn_products.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace systolic::inline v0 {
namespace cpu {
namespace {

class Turning {
 public:
  explicit Turning(ir::Function& function) : function_(function), uses_(function.types.size()) {
    count_uses(function.body);
  }

  void run(ir::Block& block) {
    std::unordered_map<ir::ValueId, ir::Op*> products;  // of this block
    for (ir::Op& op : block.ops) {
      for (ir::Block& region : op.regions) run(region);
      if (op.code == ir::OpCode::dot_general) products[op.results[0]] = &op;
      if (op.code != ir::OpCode::transpose) continue;
      const auto found = products.find(op.operands[0]);
      const bool alone = uses_[static_cast<size_t>(op.operands[0])] == 1;
      if (found != products.end() && alone) turn(*found->second, op);
    }
    std::erase_if(block.ops, vanished);
  }

 private:
  static bool vanished(const ir::Op& op) {
    return op.code == ir::OpCode::transpose && op.operands.empty();
  }

  void count_uses(const ir::Block& block) {
    for (const ir::Op& op : block.ops) {
      for (ir::ValueId value : op.operands) ++uses_[static_cast<size_t>(value)];
      for (const ir::Block& region : op.regions) count_uses(region);
    }
    for (ir::ValueId value : block.results) ++uses_[static_cast<size_t>(value)];
  }

  // The product's axes are (batch, left, right); exchanged, (batch, right, left).
  void turn(ir::Op& product, ir::Op& transpose) {
    auto& dot = product.get<ir::DotAttributes>();
    auto& order = transpose.get<ir::AxesAttributes>().axes;
    const auto free_axes = [&](size_t operand, const ir::Axes& contracting) {
      return function_.type(product.operands[operand]).shape.rank() -
             static_cast<int64_t>(dot.lhs_batching_dimensions.size() + contracting.size());
    };
    const auto batch = static_cast<int64_t>(dot.lhs_batching_dimensions.size());
    const int64_t left = free_axes(0, dot.lhs_contracting_dimensions);
    const int64_t right = free_axes(1, dot.rhs_contracting_dimensions);
    const bool ends_in_left = order.back() >= batch && order.back() < batch + left;
    if (right == 0 || !ends_in_left) return;
    std::swap(product.operands[0], product.operands[1]);
    std::swap(dot.lhs_batching_dimensions, dot.rhs_batching_dimensions);
    std::swap(dot.lhs_contracting_dimensions, dot.rhs_contracting_dimensions);
    for (int64_t& axis : order) {
      if (axis >= batch) axis += axis < batch + left ? right : -left;
    }
    if (std::is_sorted(order.begin(), order.end())) {
      product.results = std::exchange(transpose.results, {});
      transpose.operands.clear();
      return;
    }
    ir::Type& type = function_.types[static_cast<size_t>(product.results[0])];
    const Shape& wanted = function_.type(transpose.results[0]).shape;
    for (size_t i = 0; i < order.size(); ++i) {
      type.shape.set(static_cast<int>(order[i]), wanted[static_cast<int>(i)]);
    }
  }

  ir::Function& function_;
  std::vector<int> uses_;
};

}  // namespace

void turn_products(ir::Module& module) {
  for (ir::Function& function : module.functions) Turning(function).run(function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
