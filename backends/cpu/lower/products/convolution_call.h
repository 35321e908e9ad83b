// What a StableHLO convolution means to a neural network: a forward pass, the gradient of the
// input, or the gradient of the weights. The kernels want to know, and want NHWC images and HWIO
// weights.
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
  // The two operands, in the order of the op, as [batch, height, width, channels] or [height,
  // width, in, out] of the forward pass: x and w; dy and w; x and dy.
  View first = {}, second = {};
  // What the kernel writes: [batch, height, width, channels] or [height, width, in, out]. Axis i of
  // the op's result is axis result_axes[i] of it; axes of size 1 that the op lacks are left out.
  ir::Type output = {};
  ir::Axes result_axes = {};
  MatrixWork work = {};
};

// Nothing for what is none of the three, or has more than two spatial axes.
std::optional<ConvolutionCall> classify_convolution(Planner& planner, const ir::Op& op);

// Where the elements of an operand lie one after the other, copied where they do not.
PlaceId dense_operand(Planner& planner, const View& view);
// A place for what the kernel writes; the op's result is a view of it.
PlaceId define_output(Planner& planner, const ConvolutionCall& call, ir::ValueId result);

}  // namespace cpu
}  // namespace systolic::inline v0
