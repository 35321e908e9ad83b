// Which steps of a sequence are real: what a layer such as Embedding{.mask_zero = true} says of its
// output, and what layers, losses and metrics that get this output ask (Keras's implicit masks).
//
//   const Tensor x = embedding(ids);
//   step_mask_of(x)                  // pred [batch, steps]; nothing where all steps are real
//
// The Tensor itself carries the mask. An op gives a Tensor without one; layers that support masking
// hand it on.
#pragma once

#include <optional>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Pred [batch, steps], the first axes of x; nothing where all steps count.
std::optional<Tensor> step_mask_of(const Tensor& x);

// Leaves x as it is where there is no mask, where x has one, and where the mask is not of its first
// axes.
void set_step_mask(const Tensor& x, const std::optional<Tensor>& mask);

// x with `number` in place of the steps that its mask leaves out; without its mask.
Tensor with_masked_steps(const Tensor& x, double number);

// Gives y, the sum of xs or their like, the mask of a step that is real in one of them; none where
// an input has none (Keras's layers that merge).
Tensor masked_where_all_are(const Tensor& y, const std::vector<Tensor>& xs);

// Gives y, xs joined along an axis from 0 on, their masks as Keras's Concatenate does: along the
// steps joined, with all steps of an input without a mask real; along later axes a step is real
// that is in one of them.
Tensor masked_as_joined(const Tensor& y, const std::vector<Tensor>& xs, int axis);

}  // namespace systolic::inline v0
