// What a group of ops becomes: each kind has a lowering of its own (lower/lower_group.cc).
#pragma once

#include <cstdint>
#include <limits>
#include <variant>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// One op that runs alone, as the table of ops has it (lower/lower_block.cc).
struct PlainOp {};

// Elementwise ops of one shape: a tile program, which writes what somebody outside reads.
struct ElementwiseCluster {};

// A cluster and, as its last op, a reduce of its only result, which is taken as it is computed.
struct ReducingCluster {};

// A cluster that takes the rows of a matrix product, which nobody else reads, as they are summed.
struct ProductCluster {
  const ir::Op* product = nullptr;  // none of the group's ops
};

// The next three store no result and leave the work to those who read it.

// A scatter of rows: its readers sum the rows that they need (row_sums.h).
struct SummedByReaders {};

// Random bits: the cluster that reads them draws them (drawn_bits.h).
struct DrawnByReaders {};

// A rounding of weights: products round them as they pack them (rounded_operand.h).
struct RoundedByReaders {};

// All others are patterns: several ops for which there is one kernel (pattern.h).

// dot_general or forward convolution, the first op, + bias along the last axis, then maybe
// maximum(., 0), after which a convolution may have minimum(., most).
struct BiasedProduct {
  ir::ValueId bias = ir::no_value;
  // Instead: an array that the product is added to, which nobody else reads.
  ir::ValueId addend = ir::no_value;
  bool relu = false;
  double most = std::numeric_limits<double>::infinity();
  ir::ValueId result = ir::no_value;  // the last one
};

// Both gradients of a convolution (or one), of its bias, and the mask of the relu after it: the
// first two ops, a comparison and a selection. Ops are null where there is none.
struct ConvolutionGradients {
  const ir::Op* data = nullptr;
  const ir::Op* weights = nullptr;
  const ir::Op* bias = nullptr;
  ir::ValueId gradient = ir::no_value;  // before the mask
  ir::ValueId relu_output = ir::no_value;
};

// Maximum of each row, subtraction of it, exponential, sum of each row; then maybe the division by
// it, else null.
struct Softmax {
  const ir::Op* largest = nullptr;
  const ir::Op* exponential = nullptr;
  const ir::Op* sum = nullptr;
  const ir::Op* divide = nullptr;
};

// What flows back to a softmax's scores from the gradient of its shares.
struct SoftmaxGradient {
  ir::ValueId gradient = ir::no_value;
  ir::ValueId exponentials = ir::no_value, sums = ir::no_value;
  ir::ValueId shares = ir::no_value;
  // The shares are stored for others, and read: the exponentials need not be. Otherwise those two
  // are, and the shares made again of them.
  bool reads_shares = false;
  ir::ValueId result = ir::no_value;
};

// Mean and inverse deviation of each row; then maybe what they make of it: what is read, and what
// is stored; ir::no_value for what is not.
struct Normalization {
  ir::ValueId x = ir::no_value;
  float mean_factor = 0, variance_factor = 0, epsilon = 0;
  ir::ValueId scale = ir::no_value, offset = ir::no_value;  // of columns
  ir::ValueId centered = ir::no_value;                      // x less the mean
  ir::ValueId inverse = ir::no_value;                       // 1 / deviation
  ir::ValueId normalized = ir::no_value;                    // before the scale and the offset
  ir::ValueId result = ir::no_value;
};

// What flows back to x, from the gradient of its result and from `others`; and, where there are,
// the sums of columns that are the gradients of the scale and of the offset, each added up from
// sums of `rows_of_a_sum` rows.
struct NormalizationGradient {
  ir::ValueId gradient = ir::no_value;
  ir::ValueId scale = ir::no_value;  // of columns; ir::no_value: none
  ir::ValueId centered = ir::no_value, inverse = ir::no_value;
  ir::ValueId others = ir::no_value;  // what else has flowed back to x; ir::no_value: nothing
  float mean_factor = 0, variance_factor = 0;  // kernels::NormalizeGradientOptions
  ir::ValueId scale_sums = ir::no_value, offset_sums = ir::no_value;
  ir::ValueId normalized = ir::no_value;  // made again of centered rows for scale_sums, not read
  int64_t rows_of_a_sum = 0;              // 0: no sums
  ir::ValueId result = ir::no_value;
};

using GroupKind =
    std::variant<PlainOp, ElementwiseCluster, ReducingCluster, ProductCluster, SummedByReaders,
                 DrawnByReaders, RoundedByReaders, BiasedProduct, ConvolutionGradients, Softmax,
                 SoftmaxGradient, Normalization, NormalizationGradient>;

}  // namespace cpu
}  // namespace systolic::inline v0
