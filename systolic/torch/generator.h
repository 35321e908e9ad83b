// PyTorch's random numbers of the processor: for equal seeds the numbers, weights and orders of
// torch 2, to the bit (ATen's CPUGeneratorImpl over the 32-bit Mersenne Twister).
//
//   torch::manual_seed(42);
//   std::vector<int64_t> order = torch::randperm(10);   // torch.randperm(10)
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace torch {

// A handle: copies draw from one sequence (torch.Generator).
class Generator {
 public:
  static constexpr uint64_t default_seed = 67280421310721;

  Generator() : Generator(default_seed) {}
  explicit Generator(uint64_t seed);
  Generator& manual_seed(uint64_t seed);
  uint64_t initial_seed() const;
  // Another one that goes on from the same place.
  Generator clone() const;

  uint32_t random();
  uint64_t random64();
  // torch.empty((), dtype=torch.int64).random_(): what samplers and loaders seed others with.
  int64_t random_seed();

  // In [low, high), f32, row-major (Tensor.uniform_).
  Literal uniform(const Shape& shape, double low, double high);
  // f32 (Tensor.normal_).
  Literal normal(const Shape& shape, double mean, double stddev);

 private:
  struct State;
  explicit Generator(std::shared_ptr<State> state) : state_(std::move(state)) {}
  double uniform_double();
  double normal_double();
  std::shared_ptr<State> state_;
};

// A random order of 0 ... n - 1; without a generator, by the default one. A negative n is an
// InvalidArgument.
std::vector<int64_t> randperm(int64_t n, std::optional<Generator> generator = {},
                              SourceLocation location = SourceLocation::current());

// Seeds the default generator of this ordinal, and its masks of dropout.
void manual_seed(uint64_t seed);
// The default generator of this ordinal (of the program, outside of spawn).
Generator& default_generator();

}  // namespace torch
}  // namespace systolic::inline v0
