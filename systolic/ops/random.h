// keras.random: numbers that depend on the key and on the position alone (trace/ops/random.h).
//
//   Tensor tokens = ops::random::categorical(logits, 1, {.key = key});
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/trace/ops/random.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {
namespace random {

using At = SourceLocation;

using v0::truncated_normal;

// Normal numbers; uniform ones of [minval, maxval).
Tensor normal(const Shape& shape, double mean = 0, double stddev = 1, RandomOptions options = {},
              At at = At::current());
Tensor uniform(const Shape& shape, double minval = 0, double maxval = 1, RandomOptions options = {},
               At at = At::current());
// Integers of [minval, maxval), i32 where no integer type is given.
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, RandomOptions options = {},
               At at = At::current());
// Classes drawn by softmax of their logits [batch, classes]: i32 [batch, num_samples].
Tensor categorical(const Tensor& logits, int64_t num_samples, RandomOptions options = {},
                   At at = At::current());
// The elements of an axis in another order.
Tensor shuffle(const Tensor& x, int axis = 0, RandomOptions options = {}, At at = At::current());
// 0 with the probability `rate`, the others divided by 1 - rate. A noise shape with sizes of 1
// drops along those axes together.
Tensor dropout(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape = {},
               RandomOptions options = {}, At at = At::current());
// Gamma of shape `alpha` and rate 1 (Marsaglia and Tsang 2000); beta and binomial numbers.
Tensor gamma(const Shape& shape, double alpha, RandomOptions options = {}, At at = At::current());
Tensor beta(const Shape& shape, double alpha, double beta, RandomOptions options = {},
            At at = At::current());
Tensor binomial(const Shape& shape, int64_t counts, double probability, RandomOptions options = {},
                At at = At::current());

}  // namespace random
}  // namespace ops
}  // namespace systolic::inline v0
