// Gradients of dynamic_slice and dynamic_update_slice. Start indices have none, being integers;
// they are clamped alike on the way there and back.
#include "systolic/autodiff/rules/formula.h"
#include "systolic/autodiff/rules/indexing.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::no_value;
using ir::Value;

namespace {

// The start indices: the operands from the first-th on.
std::vector<Value> starts_from(const GradientRule& r, size_t first) {
  std::vector<Value> starts;
  for (size_t i = first; i < r.operands(); ++i) starts.push_back(r.x(i));
  return starts;
}

}  // namespace

// Where a gradient of the operand is there already, the slice of it is replaced by the sum: in a
// loop that reads slices, one step then costs a slice and not the whole array.
void differentiate_dynamic_slice(GradientRule& r) {
  if (!r.needs(0)) return;
  const std::vector<Value> starts = starts_from(r, 1);
  const auto sizes = r.attributes<ir::DynamicSliceAttributes>().slice_sizes;
  const ir::ValueId operand = r.x().id(), before = r.walk().adjoint(operand);
  if (before == no_value) {
    return r.grad(0, dynamic_update_slice(zeros_like(r.x()), r.g(), starts));
  }
  const Value gathered = r.builder().value(before);
  const Value sum = dynamic_slice(gathered, starts, sizes) + r.g();
  r.walk().set_adjoint(operand, dynamic_update_slice(gathered, sum, starts).id());
}

void differentiate_dynamic_update_slice(GradientRule& r) {
  const std::vector<Value> starts = starts_from(r, 2);
  if (r.needs(0)) r.grad(0, dynamic_update_slice(r.g(), zeros_like(r.x(1)), starts));
  if (r.needs(1)) r.grad(1, dynamic_slice(r.g(), starts, r.x(1).shape().to_vector()));
}

}  // namespace autodiff
}  // namespace systolic::inline v0
