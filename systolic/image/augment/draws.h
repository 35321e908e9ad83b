// Random numbers from one seed, in order. The same seed gives the same numbers everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

#include "systolic/core/random_bits.h"

namespace systolic::inline v0 {
namespace image {

// What `function` draws where it is called with `seed`: functions with the same seed must not share
// their numbers. The name is hashed by FNV-1a (Fowler, Noll, Vo).
constexpr uint64_t function_seed(uint64_t seed, std::string_view function) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : function) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3u;
  return mix_bits(splitmix64(seed) + hash);
}

class Draws {
 public:
  explicit Draws(uint64_t seed) : state_(mix_bits(seed)) {}

  uint64_t bits() {
    state_ += splitmix64_step;
    return mix_bits(state_);
  }
  // In [low, high).
  double uniform(double low = 0, double high = 1) {
    return low + (high - low) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }
  // In [0, size).
  int64_t below(int64_t size) {
    return static_cast<int64_t>(
        (static_cast<unsigned __int128>(bits()) * static_cast<uint64_t>(size)) >> 64);
  }
  bool coin() { return (bits() >> 63) != 0; }
  double normal() {  // Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  // Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
  double gamma(double shape) {
    if (shape < 1) return gamma(shape + 1) * std::pow(1 - uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    while (true) {
      const double x = normal(), v = std::pow(1 + c * x, 3);
      if (v > 0 && std::log(1 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
        return d * v;
    }
  }
  double beta(double a, double b) {
    const double x = gamma(a), y = gamma(b);
    return x + y > 0 ? x / (x + y) : (coin() ? 1 : 0);  // both underflow where a and b are tiny
  }

 private:
  uint64_t state_;
};

}  // namespace image
}  // namespace systolic::inline v0
