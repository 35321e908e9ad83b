#include "systolic/ops/random.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/ops/order.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace random {
namespace {

void check_between(const char* what, double value, double low, double high, At at) {
  if (value >= low && value <= high) return;
  raise<InvalidArgument>({.what = str(what, " is ", value),
                          .wanted = str("a number from ", low, " to ", high),
                          .location = at});
}

// Another key for the n-th use of one.
RandomOptions use_of(RandomOptions options, uint64_t n, At at) {
  if (options.key) options.key = fold_in(*options.key, n, at);
  return options;
}

}  // namespace

Tensor normal(const Shape& shape, double mean, double stddev, RandomOptions options, At at) {
  return random_normal(shape, mean, stddev, std::move(options), at);
}
Tensor uniform(const Shape& shape, double minval, double maxval, RandomOptions options, At at) {
  return random_uniform(shape, minval, maxval, std::move(options), at);
}

// 32 bits of a range below 2^32 each, by the remainder of 64.
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, RandomOptions options, At at) {
  if (maxval <= minval) {
    raise<InvalidArgument>({.what = str("randint from ", minval, " to ", maxval),
                            .wanted = "a range that holds a number",
                            .location = at});
  }
  const DType dtype = is_integer(options.dtype) ? options.dtype : DType::i32;
  options.dtype = DType::u32;
  const Tensor high = cast(random_bits(shape, use_of(options, 0, at), at), DType::u64),
               low = cast(random_bits(shape, use_of(options, 1, at), at), DType::u64);
  const Tensor range = fill({}, static_cast<double>(maxval - minval), DType::u64);
  const Tensor bits = high * fill({}, 4294967296.0, DType::u64) + low;
  const Tensor rest = bits - bits / range * range;
  return cast(cast(rest, DType::i64) + minval, dtype);
}

// The largest of logits with Gumbel noise.
Tensor categorical(const Tensor& logits, int64_t num_samples, RandomOptions options, At at) {
  if (logits.rank() != 2 || num_samples < 1) {
    raise<InvalidArgument>({.what = str("categorical of logits of shape ", logits.shape(), ", ",
                                        num_samples, " samples"),
                            .wanted = "[batch, classes], and 1 sample or more",
                            .location = at});
  }
  const Shape shape{logits.shape()[0], num_samples, logits.shape()[1]};
  const double least = std::exp2(-24);  // of f32's steps in [0, 1), so that no log is infinite
  const Tensor noise = random_uniform(shape, least, 1, std::move(options), at);
  return argmax(expand_dims(cast({logits, at}, DType::f32), 1, at) - log(-log(noise)), -1, at);
}

Tensor shuffle(const Tensor& x, int axis, RandomOptions options, At at) {
  const auto place = static_cast<int>(positive_axis(axis, x.rank(), at));
  options.dtype = DType::f32;
  const Tensor order = argsort(random_uniform({x.shape()[place]}, 0, 1, std::move(options), at));
  return gather(x, order, place, at);
}

Tensor dropout(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape,
               RandomOptions options, At at) {
  check_between("the rate of dropout", rate, 0, 1, at);
  if (rate == 0) return x;
  const Shape shape = noise_shape.empty() ? x.shape() : Shape(noise_shape);
  const Tensor kept = random_uniform(shape, 0, 1, std::move(options), at) >= rate;
  return where(kept, rate == 1 ? x : x / (1 - rate), zeros({}, x.dtype()));
}

// Each round proposes for all elements, of which a twentieth at most is refused: twelve leave fewer
// than one in 1e15, which keeps the mean.
Tensor gamma(const Shape& shape, double alpha, RandomOptions options, At at) {
  check_between("the shape of a gamma number", alpha, 1e-30, 1e30, at);
  const double raised = alpha < 1 ? alpha + 1 : alpha, d = raised - 1.0 / 3.0,
               c = 1 / std::sqrt(9 * d);
  constexpr uint64_t rounds = 12;
  const DType dtype = options.dtype;
  options.dtype = DType::f32;
  Tensor found = fill(shape, d), open = ones(shape, DType::pred);
  for (uint64_t round = 0; round < rounds; ++round) {
    const Tensor x = random_normal(shape, 0, 1, use_of(options, 2 * round, at), at);
    const Tensor u = random_uniform(shape, 0, 1, use_of(options, 2 * round + 1, at), at);
    const Tensor root = 1 + c * x, v = root * root * root, safe = maximum(v, 1e-30);
    const Tensor bound = 0.5 * square(x) + d - d * safe + d * log(safe);
    const Tensor accepted = logical_and(open, logical_and(root > 0, log(u) < bound));
    found = where(accepted, d * v, found);
    open = logical_and(open, logical_not(accepted));
  }
  if (alpha < 1) {
    const Tensor u = random_uniform(shape, 0, 1, use_of(options, 2 * rounds, at), at);
    found = found * pow(maximum(u, 1e-30), 1 / alpha);
  }
  return cast(found, dtype);
}

Tensor beta(const Shape& shape, double alpha, double beta, RandomOptions options, At at) {
  const Tensor a = gamma(shape, alpha, use_of(options, 100, at), at);
  const Tensor b = gamma(shape, beta, use_of(options, 101, at), at);
  return a / (a + b);
}

// As many yes-or-no draws.
Tensor binomial(const Shape& shape, int64_t counts, double probability, RandomOptions options,
                At at) {
  check_between("the counts of a binomial number", static_cast<double>(counts), 0, 1e6, at);
  check_between("the probability of a binomial number", probability, 0, 1, at);
  std::vector<int64_t> sizes{counts};
  for (int axis = 0; axis < shape.rank(); ++axis) sizes.push_back(shape[axis]);
  const DType dtype = options.dtype;
  options.dtype = DType::f32;
  const Tensor draws = random_uniform(Shape(sizes), 0, 1, std::move(options), at) < probability;
  return sum(cast(draws, dtype), {.axis = 0}, at);
}

}  // namespace random
}  // namespace ops
}  // namespace systolic::inline v0
