// Groups of ops for which there is one kernel.
#pragma once

#include <vector>

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Of rows: what is read, and what is stored; ir::no_value for what is not.
struct Normalization {
  ir::ValueId x = ir::no_value;
  float mean_factor = 0, variance_factor = 0, epsilon = 0;
  ir::ValueId scale = ir::no_value, offset = ir::no_value;  // of columns
  ir::ValueId centered = ir::no_value;                      // x less the mean
  ir::ValueId inverse = ir::no_value;                       // 1 / deviation
  ir::ValueId normalized = ir::no_value;                    // before the scale and the offset
  ir::ValueId result = ir::no_value;
};

struct Pattern {
  enum class Kind : uint8_t {
    // dot_general or forward convolution, + bias along the last axis, then maybe maximum(., 0).
    product,
    // Both gradients of a convolution (or one), of its bias, and the mask of the relu behind it.
    convolution_gradients,
    // Maximum of each row, subtraction of it, exponential, sum of each row; then maybe the division
    // by it.
    softmax,
    // Mean and inverse deviation of each row; then maybe what they make of it.
    normalize,
  };
  Kind kind = Kind::product;
  std::vector<const ir::Op*> ops = {};  // in program order

  // product: what is added, and the last result.
  ir::ValueId bias = ir::no_value;
  bool relu = false;
  ir::ValueId result = ir::no_value;

  // convolution_gradients: the ops, null where there is none; the gradient before the mask, and
  // relu's output.
  const ir::Op* data = nullptr;
  const ir::Op* weights = nullptr;
  const ir::Op* bias_gradient = nullptr;
  ir::ValueId gradient = ir::no_value, relu_output = ir::no_value;

  Normalization normalization = {};
};

// The patterns in a block; none shares an op with another.
std::vector<Pattern> find_patterns(const Planner& planner, const ir::Block& block);

}  // namespace cpu
}  // namespace systolic::inline v0
