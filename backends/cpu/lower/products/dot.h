// dot_general with what follows it in the same step.
#pragma once

#include <limits>
#include <string>

#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

struct ProductEnd {
  ir::ValueId result = ir::no_value;                      // what the step defines
  ir::ValueId bias = ir::no_value;                        // one number a column, added
  ir::ValueId addend = ir::no_value;                      // an array of its shape, added
  bool relu = false;                                      // then max(., 0)
  double most = std::numeric_limits<double>::infinity();  // of a convolution: then min(., most)
};

// A dot_general as the kernels take it. Operands whose strides they cannot take have been copied.
struct ProductCall {
  kernels::MatmulOptions options;
  PlaceId a = no_place, b = no_place;
  int64_t a_offset = 0, b_offset = 0;  // bytes
};
// A right operand whose rounding was left to its readers has been rounded by a step of its own.
ProductCall classify_product(Planner& planner, const ir::Op& op);

MatrixWork product_work(const Planner& planner, const kernels::MatmulOptions& options);
// "dot [32,784] x [784,128] f32"
std::string product_text(const kernels::MatmulOptions& options);

// `op` is a dot_general of real numbers.
void lower_product(Planner& planner, const ir::Op& op, const ProductEnd& end);
// `op` is a convolution; with a bias or relu, one that passes forward.
void lower_convolution(Planner& planner, const ir::Op& op, const ProductEnd& end);

}  // namespace cpu
}  // namespace systolic::inline v0
