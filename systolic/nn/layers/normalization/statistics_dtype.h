// The type in which a normalization computes: squares and sums of f16 or bf16 overflow or lose
// their digits. Such layers take their inputs as they come, since f16 ends at 65504, and give the
// policy's type. Internal to nn.
#pragma once

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

inline DType statistics_dtype(const Tensor& x) {
  return x.dtype() == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace systolic::inline v0
