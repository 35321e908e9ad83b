// keras.ops' control flow. What stands after `using` is the op of trace/ops with the same name:
// loops and branches of the device (trace/ops/control_flow.h).
//
//   Tensor y = ops::map([](const Tensor& row) { return ops::norm(row); }, x);
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::cond;
using v0::while_loop;

// state = body(i, state) for i from lower up to upper.
Tensors fori_loop(int64_t lower, int64_t upper,
                  const std::function<Tensors(const Tensor& i, const Tensors& state)>& body,
                  const Tensors& initial, At at = At::current());
// f of each element of the first axis, stacked. A loop on the device, one element after the other;
// vectorized_map is the same.
Tensor map(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs, At at = At::current());
Tensor vectorized_map(const std::function<Tensor(const Tensor&)>& f, const Tensor& xs,
                      At at = At::current());
// (carry, y) = f(carry, x) for each element of the first axis, the last first where `reverse`:
// carry at the end, and the y's stacked.
struct Scanned {
  Tensors carry;
  Tensor ys;
};
// What scan calls.
using ScanStep = std::function<std::pair<Tensors, Tensor>(const Tensors& carry, const Tensor& x)>;
Scanned scan(const ScanStep& f, const Tensors& initial, const Tensor& xs, bool reverse = false,
             At at = At::current());
// y[i] = f(y[i - 1], x[i]) of an associative f, which takes many elements at once: log2 of the
// axis's size calls.
Tensor associative_scan(const std::function<Tensor(const Tensor&, const Tensor&)>& f,
                        const Tensor& xs, bool reverse = false, int axis = 0,
                        At at = At::current());
// The branch of that number; a number outside is moved to the nearest.
Tensors switch_case(const Tensor& index, const std::vector<std::function<Tensors()>>& branches,
                    At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
