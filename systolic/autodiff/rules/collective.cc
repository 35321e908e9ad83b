// Gradients of ops between cores. What is differentiated is the sum, over all cores, of what each
// core's output gradient weighs: so the gradient of a sum over cores is again a sum over cores.
#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::OpCode;
using ir::Value;

namespace {

void require_sum(const GradientRule& r) {
  if (ir::fold_op(r.op().regions[0]) == OpCode::add) return;
  r.none("only a sum over the cores has one", "gather the values with all_gather, then fold them");
}

void differentiate_all_gather(GradientRule& r) {
  const auto a = r.attributes<ir::GatherCoresAttributes>();
  const int axis = static_cast<int>(a.dimension);
  for (size_t i = 0; i < r.operands(); ++i) {
    if (!r.has_g(i) || !r.needs(i)) continue;
    const int64_t part = r.x(i).shape()[axis];
    const int64_t cores = part == 0 ? 1 : r.y(i).shape()[axis] / part;
    r.grad(i, reduce_scatter(r.g(i), OpCode::add, a.dimension, cores, a.collective));
  }
}

void differentiate_all_reduce(GradientRule& r) {
  require_sum(r);
  const auto attributes = r.attributes<ir::CollectiveAttributes>();
  for (size_t i = 0; i < r.operands(); ++i) {
    if (r.has_g(i) && r.needs(i)) r.grad(i, all_reduce(r.g(i), OpCode::add, attributes));
  }
}

void differentiate_all_to_all(GradientRule& r) {
  auto attributes = r.attributes<ir::AllToAllAttributes>();
  std::swap(attributes.split_dimension, attributes.concat_dimension);
  for (size_t i = 0; i < r.operands(); ++i) {
    if (r.has_g(i) && r.needs(i)) r.grad(i, all_to_all(r.g(i), attributes));
  }
}

// What a core sent comes back from where it went.
Value collective_permute_gradient(const GradientRule& r) {
  auto attributes = r.attributes<ir::PermuteAttributes>();
  for (auto& [source, target] : attributes.source_target_pairs) std::swap(source, target);
  return collective_permute(r.g(), attributes);
}

void differentiate_reduce_scatter(GradientRule& r) {
  require_sum(r);
  const auto a = r.attributes<ir::GatherCoresAttributes>();
  const int axis = static_cast<int>(a.dimension);
  const int64_t part = r.y().shape()[axis];
  const int64_t cores = part == 0 ? 1 : r.x().shape()[axis] / part;
  r.grad(0, all_gather(r.g(), a.dimension, cores, a.collective));
}

constexpr GradientRow rows[] = {
    whole(OpCode::all_gather, differentiate_all_gather),
    whole(OpCode::all_reduce, differentiate_all_reduce),
    whole(OpCode::all_to_all, differentiate_all_to_all),
    none(OpCode::collective_broadcast, "the first core would sum over its group",
         "multiply by a mask of the first core and use all_reduce"),
    formula(OpCode::collective_permute, collective_permute_gradient),
    whole(OpCode::reduce_scatter, differentiate_reduce_scatter),
};
static_assert(covers(rows, collective_ops), "one row for each op, in the order of OpCode");

}  // namespace

std::span<const GradientRow> collective_rows() { return rows; }

}  // namespace autodiff
}  // namespace systolic::inline v0
