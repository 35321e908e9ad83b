// Which f32 products a bf16 matrix unit may compute, with each number as three of bf16
// (trace/function/matmul_precision.h).
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace runtime {

// `forward`: all except those that autodiff adds (ir::DotAttributes), whose numbers may be too
// small for it.
enum class SplitProducts : uint8_t { none, forward, all };

}  // namespace runtime
}  // namespace systolic::inline v0
