#include "backends/cpu/fuse/row_product.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "backends/cpu/fuse/product_shape.h"
#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Whether the kernels can give the product's rows one after the other.
bool gives_rows(const Planner& planner, const ir::Op& op) {
  const std::optional<kernels::MatmulOptions> shape = product_shape(planner, op);
  // One that takes a packed operand runs with what reads it in any case, part by part.
  return shape && kernels::Matmul::gives_rows(*shape) && !kernels::Matmul::takes_packed(*shape);
}

}  // namespace

void join_products(const Planner& planner, std::vector<Group>& groups) {
  std::unordered_map<ir::ValueId, Group*> products;  // by their results
  for (Group& group : groups) {
    if (group.is_plain_op() && gives_rows(planner, *group.ops[0]))
      products[group.ops[0]->results[0]] = &group;
  }
  for (Group& group : groups) {
    if (!group.elementwise || group.reduces) continue;
    const Shape& space = planner.type(group.ops[0]->results[0]).shape;
    for (const ir::Op* op : group.ops) {
      for (ir::ValueId operand : op->operands) {
        const auto found = products.find(operand);
        if (found == products.end() || group.product != nullptr) continue;
        if (planner.type(operand).shape != space) continue;
        if (element_reads(group, operand) != planner.uses(operand)) continue;
        group.product = found->second->ops[0];
        found->second->ops.clear();
        products.erase(found);
      }
    }
  }
  std::erase_if(groups, [](const Group& group) { return group.ops.empty(); });
}

}  // namespace cpu
}  // namespace systolic::inline v0
