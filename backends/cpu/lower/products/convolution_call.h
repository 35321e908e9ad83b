// What a StableHLO convolution means to a neural network: a forward pass, the gradient of the
// input, or the gradient of the weights. The kernels want to know, and want images with channels
// last and weights with outputs last.
#pragma once

#include <array>
#include <optional>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct ConvolutionCall {
  enum class Kind : uint8_t { forward, data, weights };
  Kind kind = Kind::forward;
  kernels::ConvolutionShape shape = {};  // of the forward pass that this belongs to
  // The two operands as [batch, depth, height, width, channels] or [depth, height, width, in, out]
  // of the forward pass: x and w; dy and w; x and dy. They stand in the order of the op, except in
  // a transposed call.
  View first = {}, second = {};
  // Kind::weights of a transposed convolution: x and dy have changed places, and the kernel's
  // elements come out in the opposite order.
  bool transposed = false;
  // What the kernel writes: [batch, depth, height, width, channels] or [depth, height, width, in,
  // out]. Axis i of the op's result is axis result_axes[i] of it; axes of size 1 that the op lacks
  // are left out.
  ir::Type output = {};
  ir::Axes result_axes = {};
  MatrixWork work = {};
};

// Nothing for what is none of the three, or has more than three spatial axes.
std::optional<ConvolutionCall> classify_convolution(Planner& planner, const ir::Op& op);

// Where the elements of an operand lie one after the other, copied where they do not.
PlaceId dense_operand(Planner& planner, const View& view);
// A place for what the kernel writes; the op's result is a view of it.
PlaceId define_output(Planner& planner, const ConvolutionCall& call, ir::ValueId result);

}  // namespace cpu
}  // namespace systolic::inline v0
