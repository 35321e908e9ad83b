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

using Products = std::unordered_map<ir::ValueId, Group*>;  // by their results

// The first product that the cluster alone reads, in its own shape; the end where there is none.
Products::iterator product_for(const Planner& planner, const Group& cluster, Products& products) {
  const Shape& space = planner.type(cluster.ops[0]->results[0]).shape;
  for (const ir::Op* op : cluster.ops) {
    for (ir::ValueId operand : op->operands) {
      const auto found = products.find(operand);
      const bool joins = found != products.end() && planner.type(operand).shape == space &&
                         element_reads(cluster, operand) == planner.uses(operand);
      if (joins) return found;
    }
  }
  return products.end();
}

}  // namespace

void join_products(const Planner& planner, std::vector<Group>& groups) {
  Products products;
  for (Group& group : groups) {
    if (group.is<PlainOp>() && gives_rows(planner, *group.ops[0])) {
      products[group.ops[0]->results[0]] = &group;
    }
  }
  for (Group& group : groups) {
    if (!group.is<ElementwiseCluster>()) continue;
    const auto found = product_for(planner, group, products);
    if (found == products.end()) continue;
    group.kind = ProductCluster{.product = found->second->ops[0]};
    found->second->ops.clear();
    products.erase(found);
  }
  std::erase_if(groups, [](const Group& group) { return group.ops.empty(); });
}

}  // namespace cpu
}  // namespace systolic::inline v0
