// Products as XLA's callers send them and StableHLO's specification does not have them: of two
// element types (bf16 with f32, two kinds of f8), and with a result of another kind of number than
// the factors (i8 times i8 as f32).
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace plugin {

// Converts the factors of such dot, dot_general and convolution ops to one type, which holds the
// numbers of both and is of the result's kind. What is quantized stays.
void make_factors_equal(stablehlo::Program& program);

}  // namespace plugin
}  // namespace systolic::inline v0
