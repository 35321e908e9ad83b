#include "backends/cpu/fuse/product_shape.h"

namespace systolic::inline v0 {
namespace cpu {

int64_t size_along(const Shape& shape, const ir::Axes& axes) {
  int64_t size = 1;
  for (int64_t axis : axes) size *= shape[static_cast<int>(axis)];
  return size;
}

namespace {

// Whether an operand's last axes, in order, are those that are summed.
bool has_rows_along_k(const Shape& shape, const ir::Axes& summed) {
  const int64_t first = shape.rank() - static_cast<int64_t>(summed.size());
  for (size_t i = 0; i < summed.size(); ++i) {
    if (summed[i] != first + static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

std::optional<kernels::MatmulOptions> product_shape(const Planner& planner, const ir::Op& op) {
  if (op.code != ir::OpCode::dot_general) return std::nullopt;
  const auto& attributes = op.get<ir::DotAttributes>();
  const ir::Type &a = planner.type(op.operands[0]), &b = planner.type(op.operands[1]);
  const ir::Type& c = planner.type(op.results[0]);
  if (!attributes.lhs_batching_dimensions.empty() || b.dtype != a.dtype) return std::nullopt;
  const int64_t k = size_along(a.shape, attributes.lhs_contracting_dimensions);
  if (k == 0 || c.shape.elements() == 0) return std::nullopt;
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
  options.b = kernels::row_major(k, options.n);
  options.c = kernels::row_major(options.m, options.n);
  return options;
}

}  // namespace cpu
}  // namespace systolic::inline v0
