// Element types under PyTorch's names.
#pragma once

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace torch {

// torch.float32, torch.float64, torch.float16 and torch.bfloat16.
inline constexpr DType float32 = DType::f32, float64 = DType::f64, float16 = DType::f16,
                       bfloat16 = DType::bf16;
// torch.int64, torch.int32, torch.int16, torch.int8 and torch.uint8.
inline constexpr DType int64 = DType::i64, int32 = DType::i32, int16 = DType::i16, int8 = DType::i8,
                       uint8 = DType::u8;
// torch.float, torch.long, torch.int and torch.bool, whose names are C++'s own.
inline constexpr DType float_ = float32, double_ = float64, half = float16, long_ = int64,
                       int_ = int32, bool_ = DType::pred;

}  // namespace torch
}  // namespace systolic::inline v0
