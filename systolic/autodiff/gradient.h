// Reverse-mode gradients of a program: walks its ops backwards and appends the ops that compute
// the gradient.
//
//   Builder b(module.main());
//   Value x = b.argument({DType::f32, {3}}), loss = reduce_sum(x * x, {0});
//   b.result(b.value(gradient(b, {.outputs = outputs, .sources = sources})[0]));
//
// The ops of the builder's block are differentiated, and the gradient is appended to the same
// block, so gradients of gradients need nothing more. The rule of each op is a row of the table in
// gradient_table.h.
//
// - Gradients are total derivatives, as tf.GradientTape's and torch.autograd.grad's: with sources x
//   and y = f(x), the gradient for x counts the way through y. Name y in `stopped` for the partial
//   derivative.
// - Only floating-point and complex values have gradients. Where a derivative is zero wherever it
//   exists (floor, sign), nothing flows.
// - For complex values the gradient is conjugated as in TensorFlow and PyTorch: for real L it is
//   dL/d(real) + i dL/d(imag).
// - At ties: maximum(x, c) with a c that needs no gradient gives 0 where x == c (as Keras's relu);
//   maximum(a, b) splits the gradient equally; reduce max splits it equally among all that are
//   largest; windows (max pooling) give it to the first; clamp lets it pass at both bounds.
// - Each appended op takes the location and the layer path of the op that it differentiates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace autodiff {

struct GradientRequest {
  // Ops of the block by index: [begin, end).
  struct Interval {
    size_t begin = 0, end = 0;
  };

  std::span<const ir::ValueId> outputs;
  // One for each output, of its type: the gradient that arrives there; no_value: none does. With an
  // empty span each output gets ones, so that what is differentiated is the sum of all elements.
  std::span<const ir::ValueId> output_gradients = {};
  std::span<const ir::ValueId> sources;
  // The ops that count; the results of others are constant. Empty: all ops of the block.
  std::span<const Interval> intervals = {};
  // Values through which nothing flows back: the results of stop_gradient. A rule that copies ops
  // of a region adds the copies of stopped values, so that a gradient of the gradient stops too.
  std::vector<ir::ValueId>* stopped = nullptr;
  // Ops whose results are not kept for the gradient (rematerialization; recompute.cc): right before
  // their gradients, copies of them are appended, which read what these read by an
  // optimization_barrier, and the copies are differentiated. Intervals may lie in one another; one
  // that is not wholly among `intervals` is differentiated as other ops are.
  std::span<const Interval> recomputed = {};
  // Results of ops that are not copied: copies read these.
  std::span<const ir::ValueId> kept = {};
};

// One gradient for each source, of the source's type; no_value where no output depends on it
// smoothly. Takes time and memory linear in the ops; no recursion but into regions.
//
// An op without a gradient on the way from a source to an output is an Unimplemented error that
// says why and names the user's line. A wrong type in the request is an InvalidArgument.
std::vector<ir::ValueId> gradient(ir::Builder& builder, const GradientRequest& request);

}  // namespace autodiff
}  // namespace systolic::inline v0
