// What a convolution costs: the products that it adds up, without those that meet padding or lie
// between dilated elements, as XLA's cost analysis counts them.
#pragma once

#include "backends/cpu/plan/matrix_work.h"
#include "systolic/core/shape.h"
#include "systolic/core/window.h"
#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace cpu {

// Pairs of a position of the window and an element of it that meet an element of an axis of `size`.
// Windows of more than 2^20 elements, which only files have, are not walked: the most that may
// meet.
//
//   meeting_pairs(10, {.window = 3, .padding_low = 1, .padding_high = 1})   // 28 of 30
int64_t meeting_pairs(int64_t size, const WindowAxis& axis);

// Multiply-adds count as two.
double convolution_flops(const ir::ConvolutionAttributes& attributes, const Shape& input,
                         const Shape& kernel, const Shape& output);

// The same as a product on a matrix unit: rows are the output's positions, what is summed are the
// elements of a window, columns the output's features. The unit multiplies padding, too.
MatrixWork convolution_work(const ir::ConvolutionAttributes& attributes, const Shape& input,
                            const Shape& kernel, const Shape& output, int64_t unit);

}  // namespace cpu
}  // namespace systolic::inline v0
