#include "systolic/trace/ops/random.h"

#include <atomic>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/global_seed.h"
#include "systolic/core/random_bits.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/replica_context.h"

namespace systolic::inline v0 {
namespace {

struct GlobalGenerator {
  std::atomic<uint64_t> seed{0x5eed};
  std::atomic<uint64_t> draws{0};
};

GlobalGenerator& generator() {
  static GlobalGenerator instance;
  return instance;
}

Tensor key_of(const RandomOptions& options) {
  if (options.key) return *options.key;
  return Tensor(Literal::of<uint64_t>({next_seed(), uint64_t{0}}));
}

// u32 bits by position in the global array: a core of a per-core program draws its own stretch,
// which begins replica_id * elements further on. Philox makes four words a counter.
Tensor bits_at(const Shape& shape, const RandomOptions& options, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  ir::Value state = trace.value_of(key_of(options), at);
  const int64_t elements = shape.elements();
  const ReplicaContext& context = replica_context();
  const int64_t counters = (elements + 3) / 4;
  if (context.per_core && context.replicas > 1) {
    ir::Builder& builder = trace.builder();
    const ir::Value core = ir::convert(ir::replica_id(builder), DType::u64);
    const ir::Value step = core * static_cast<double>(counters);
    const ir::Value zero = builder.constant(Literal::scalar<uint64_t>(0));
    const ir::Value parts[] = {ir::reshape(zero, {1}), ir::reshape(step, {1})};
    state = state + ir::concatenate(parts, 0);
  }
  const auto drawn =
      ir::rng_bit_generator(state, {DType::u32, {counters * 4}}, ir::RngAlgorithm::philox);
  const ir::Value flat = ir::slice(drawn.second, {0}, {elements});
  return wrap(ir::reshape(flat, shape));
}

// In [0, 1): the upper 24 bits.
Tensor unit_interval(const Shape& shape, const RandomOptions& options, At at) {
  const ir::Value bits = Trace::current().value_of(bits_at(shape, options, at), at);
  const ir::Value shift = bits.builder().filled_like(bits, 8);
  const ir::Value upper = ir::binary(ir::OpCode::shift_right_logical, bits, shift);
  return wrap(ir::convert(upper, DType::f32) * 0x1p-24);
}

// The normal distribution's quantile from a uniform number in (-1, 1): sqrt(2) * erfinv(u).
// Giles 2010, "Approximating the erfinv function" (single precision form).
Tensor erfinv(const Tensor& u) {
  const Tensor w = -log((1 - u) * (1 + u));
  const Tensor small = w - 2.5, large = sqrt(w) - 3;
  constexpr double central[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                -0.00417768164,  0.246640727,    1.50140941};
  constexpr double tail[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                             -0.00367342844,  0.00573950773,  -0.0076224613,
                             0.00943887047,   1.00167406,     2.83297682};
  Tensor near = fill({}, central[0]), far = fill({}, tail[0]);
  for (size_t i = 1; i < std::size(central); ++i) {
    near = near * small + central[i];
    far = far * large + tail[i];
  }
  return where(w < 5, near, far) * u;
}

Tensor normal_between(const Shape& shape, double low, double high, double mean, double stddev,
                      const RandomOptions& options, At at) {
  // Uniform between the limits' probabilities, mapped through the quantile: never redrawn, so one
  // draw an element.
  const double from = std::erf(low * M_SQRT1_2), to = std::erf(high * M_SQRT1_2);
  const Tensor unit = unit_interval(shape, options, at);
  // Half a step away from the ends, where the quantile is infinite.
  const Tensor u = (unit + 0x1p-25) * (to - from) + from;
  const Tensor limited = clip(u, -1 + 0x1p-24, 1 - 0x1p-24);
  return cast(erfinv(limited) * (M_SQRT2 * stddev) + mean, options.dtype);
}

}  // namespace

void set_seed(uint64_t seed) {
  generator().seed = seed;
  generator().draws = 0;
  set_global_seed(seed);
}

uint64_t next_seed() { return splitmix64(generator().seed ^ splitmix64(generator().draws++)); }

Tensor random_bits(const Shape& shape, RandomOptions options, At at) {
  return bits_at(shape, options, at);
}

Tensor random_uniform(const Shape& shape, double low, double high, RandomOptions options, At at) {
  return cast(unit_interval(shape, options, at) * (high - low) + low, options.dtype);
}

Tensor random_normal(const Shape& shape, double mean, double stddev, RandomOptions options, At at) {
  return normal_between(shape, -40, 40, mean, stddev, options, at);
}

Tensor truncated_normal(const Shape& shape, double mean, double stddev, RandomOptions options,
                        At at) {
  return normal_between(shape, -2, 2, mean, stddev, options, at);
}

Tensor fold_in(const Tensor& key, uint64_t data, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  // One block of Philox, far from those that draw from the key itself: folding twice is not undone,
  // and its order counts.
  const ir::Value value = trace.value_of(key, at);
  const Literal offset =
      Literal::of<uint64_t>({uint64_t{0}, splitmix64(data) | (uint64_t{1} << 63)});
  const auto drawn = ir::rng_bit_generator(value + trace.builder().constant(offset),
                                           {DType::u32, {4}}, ir::RngAlgorithm::philox);
  const ir::Value pairs = ir::reshape(drawn.second, {2, 2});
  return wrap(ir::bitcast_convert(pairs, {DType::u64, {2}}));
}

}  // namespace systolic::inline v0
