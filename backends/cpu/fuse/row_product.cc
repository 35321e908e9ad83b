#include "backends/cpu/fuse/row_product.h"

#include <algorithm>
#include <unordered_map>

#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

int64_t size_along(const Shape& shape, const ir::Axes& axes) {
  int64_t size = 1;
  for (int64_t axis : axes) size *= shape[static_cast<int>(axis)];
  return size;
}

// Whether an operand's last axes, in order, are those that are summed.
bool has_rows_along_k(const Shape& shape, const ir::Axes& summed) {
  const int64_t first = shape.rank() - static_cast<int64_t>(summed.size());
  for (size_t i = 0; i < summed.size(); ++i) {
    if (summed[i] != first + static_cast<int64_t>(i)) return false;
  }
  return true;
}

// Whether the kernels can give the product's rows one after the other.
bool gives_rows(const Planner& planner, const ir::Op& op) {
  if (op.code != ir::OpCode::dot_general) return false;
  const auto& attributes = op.get<ir::DotAttributes>();
  const ir::Type &a = planner.type(op.operands[0]), &b = planner.type(op.operands[1]);
  const ir::Type& c = planner.type(op.results[0]);
  if (!attributes.lhs_batching_dimensions.empty() || b.dtype != a.dtype) return false;
  const int64_t k = size_along(a.shape, attributes.lhs_contracting_dimensions);
  if (k == 0 || c.shape.elements() == 0) return false;
  kernels::MatmulOptions options{.m = a.shape.elements() / k,
                                 .n = b.shape.elements() / k,
                                 .k = k,
                                 .a = {},
                                 .b = {},
                                 .c = {},
                                 .dtype = a.dtype,
                                 .output_dtype = c.dtype};
  options.a = has_rows_along_k(a.shape, attributes.lhs_contracting_dimensions)
                  ? kernels::row_major(options.m, k)
                  : kernels::transposed(k, options.m);
  options.b = kernels::row_major(k, options.n);  // or the transpose: it is packed
  options.c = kernels::row_major(options.m, options.n);
  // One that takes a packed operand runs with what reads it in any case, part by part.
  return kernels::Matmul::gives_rows(options) && !kernels::Matmul::takes_packed(options);
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
