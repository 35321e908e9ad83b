// Quantized arrays, which backends hold as the integers that are stored.
//
// An op that computes does so on the numbers that the integers stand for, and its results are
// quantized again: StableHLO's dequantize_op_quantize (docs/spec.md, "Quantization computations").
// Ops that only move elements move the integers.
#pragma once

#include <string_view>

#include "systolic/ir/builder/builder.h"
#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Does the op compute with the numbers, so that quantized operands are dequantized before it?
bool computes_with_numbers(std::string_view op);

// (stored - zero_point) * scale, in the expressed type.
ir::Value dequantize(ir::Value stored, const Quantization& quantization);
// round_nearest_even(clamp(storage_min, x / scale + zero_point, storage_max))
ir::Value quantize(ir::Value x, const Quantization& quantization);

}  // namespace stablehlo
}  // namespace systolic::inline v0
