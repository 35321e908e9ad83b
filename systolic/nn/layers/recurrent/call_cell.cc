#include "systolic/nn/layers/recurrent/call_cell.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/indexing.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// One cell: takes its states from the front of `states`, and puts the new ones to the end of
// `results`.
Tensor step_of(const NamedCell& named, const Tensor& x, std::vector<Tensor>& states,
               std::vector<Tensor>& results, CallContext& context) {
  const size_t count = named.cell.state_shapes(x.shape().slice(1, x.rank())).size();
  if (states.size() < count) {
    raise<InvalidArgument>({.what = str("called with ", states.size(), " states"),
                            .wanted = str(count, " for ", named.cell.kind())});
  }
  const auto end = states.begin() + static_cast<std::ptrdiff_t>(count);
  CellContext inner(context, named.name);
  const RecurrentSteps steps = named.cell.over(expand_dims(x, 0), inner);
  const std::vector<Tensor> next = steps.step(steps.inputs[{0}], {states.begin(), end});
  states.erase(states.begin(), end);
  results.insert(results.end(), next.begin() + 1, next.end());
  return next.at(0);
}

}  // namespace

std::vector<Tensor> call_cell(const RecurrentCell& cell, const std::vector<Tensor>& xs,
                              CallContext& context) {
  check_inputs(xs, 1);
  check_min_rank(xs[0], 2, "[batch, ..., features]");
  std::vector<Tensor> states(xs.begin() + 1, xs.end()), results{xs[0]};
  for (const NamedCell& named : cells_in(cell, ""))
    results[0] = step_of(named, results[0], states, results, context);
  if (states.empty()) return results;
  raise<InvalidArgument>({.what = str("called with ", states.size(), " states too many")});
}

}  // namespace systolic::inline v0
