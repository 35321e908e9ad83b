// Random numbers that depend only on the key and on the position in the global array: never on the
// number of cores or threads, or on the order in which ops run. The bits are Philox-4x32-10 (Salmon
// et al. 2011).
//
// A key is a u64[2] Tensor: (seed, counter). Layers draw theirs from the model's seed, the step and
// the layer's path; with no key, the global generator (set_seed) gives one and moves on.
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

using At = SourceLocation;

// Restarts the global generator, all model seeds that follow from it, and the seeds of shuffles
// that have none of their own (keras.utils.set_random_seed).
void set_seed(uint64_t seed);
// A new seed from the global generator, on the host.
uint64_t next_seed();

// The type of what is drawn, and the key that it is drawn from.
struct RandomOptions {
  DType dtype = DType::f32;        // of floats; random_bits gives u32 whatever it says
  std::optional<Tensor> key = {};  // u64[2]; none: the global generator's next one
};
// u32 of any shape.
Tensor random_bits(const Shape& shape, RandomOptions options = {}, At at = At::current());
// Uniform in [low, high).
Tensor random_uniform(const Shape& shape, double low = 0, double high = 1,
                      RandomOptions options = {}, At at = At::current());
Tensor random_normal(const Shape& shape, double mean = 0, double stddev = 1,
                     RandomOptions options = {}, At at = At::current());
// Normal, redrawn beyond two standard deviations.
Tensor truncated_normal(const Shape& shape, double mean = 0, double stddev = 1,
                        RandomOptions options = {}, At at = At::current());
// A derived key, for a separate use: one Philox block of `key` at a counter mixed from `data`.
Tensor fold_in(const Tensor& key, uint64_t data, At at = At::current());

}  // namespace systolic::inline v0
