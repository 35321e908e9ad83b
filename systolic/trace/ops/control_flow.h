// Branches and loops on the device. XLA needs to know both sides of an `if` before it runs, so they
// are functions.
//
//   Tensor y = cond(sum(x) > 10, [&] { return x / 2; }, [&] { return x; });
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

using At = SourceLocation;
// What branches and the bodies of loops return: several Tensors, in order.
using Tensors = std::vector<Tensor>;

// Runs one of the two functions. Both must return the same types and shapes; both may use any
// Tensor and Variable from outside, and assign Variables. The predicate is a scalar pred.
Tensor cond(const Tensor& predicate, const std::function<Tensor()>& on_true,
            const std::function<Tensor()>& on_false, At at = At::current());
Tensors cond(const Tensor& predicate, const std::function<Tensors()>& on_true,
             const std::function<Tensors()>& on_false, At at = At::current());

// while (condition(state)) state = body(state). Types and shapes stay the same. A gradient needs
// max_iterations.
struct WhileOptions {
  // No more rounds than this; none: no limit, and no gradient.
  std::optional<int64_t> max_iterations = {};
};
Tensors while_loop(const Tensors& initial, const std::function<Tensor(const Tensors&)>& condition,
                   const std::function<Tensors(const Tensors&)>& body, WhileOptions options = {},
                   At at = At::current());

// for (i = 0; i < count; ++i) body(i), on the device; Variables that the body assigns are carried
// along. A count given as a Tensor may change without a new trace. No gradient flows through the
// loop, since none flows through an assignment to a Variable: to differentiate a loop, use a
// while_loop whose state holds what changes.
//
// A body that takes batches (next(iterator)) is repeated by the host; the function is then cut into
// what comes before the loop, its body, and what comes after it. Such a loop must be directly in
// the function, under no tape, and pass on what it computes in Variables.
void for_range(const Tensor& count, const std::function<void(const Tensor& i)>& body,
               At at = At::current());
void for_range(int64_t count, const std::function<void(const Tensor& i)>& body,
               At at = At::current());

// for (i = 0; i < count; ++i) state = body(i, state). Types and shapes stay the same. Gradients
// flow through it; what the way back needs of each round is kept. A state of which a round replaces
// a part (slice_update) is written in place.
//
//   Tensors last = for_range(steps, {h}, [&](const Tensor& i, const Tensors& state) {
//     return Tensors{tanh(matmul(state[0], w) + x[{i}])};
//   });
Tensors for_range(int64_t count, const Tensors& initial,
                  const std::function<Tensors(const Tensor& i, const Tensors& state)>& body,
                  At at = At::current());

}  // namespace systolic::inline v0
