// Data and measures for the tests of the kernels.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <type_traits>
#include <vector>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic {

// Two threads, whatever the machine has.
inline ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

inline int64_t product(const std::vector<int64_t>& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// The position of the element at `index` of a row-major array.
inline int64_t offset_of(const std::vector<int64_t>& dims, const std::vector<int64_t>& index) {
  int64_t offset = 0;
  for (size_t k = 0; k < dims.size(); ++k) offset = offset * dims[k] + index[k];
  return offset;
}

// A vector whose data is 64-byte aligned, for scratch memory.
class AlignedBytes {
 public:
  explicit AlignedBytes(size_t bytes) : memory_(bytes + 64) {}
  void* data() {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + ((address + 63) / 64 * 64 - address);
  }

 private:
  std::vector<unsigned char> memory_;
};

// Reproducible values in [-1, 1): plain data, without negative zeros and other special numbers.
inline std::vector<double> test_values(int64_t count, uint32_t seed) {
  std::vector<double> values(static_cast<size_t>(count));
  uint32_t state = seed * 2654435761u + 12345u;
  for (double& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<double>(state >> 8) / 8388608.0 - 1.0;
  }
  return values;
}

template <class T>
std::vector<T> converted(const std::vector<double>& values) {
  std::vector<T> result;
  result.reserve(values.size());
  for (double value : values) {
    if constexpr (std::is_integral_v<T>) {
      result.push_back(static_cast<T>(static_cast<int64_t>(value)));
    } else if constexpr (std::is_same_v<T, double>) {
      result.push_back(value);
    } else {
      result.push_back(static_cast<T>(static_cast<float>(value)));
    }
  }
  return result;
}

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const T& value : values) result.push_back(static_cast<double>(value));
  return result;
}

// Values that T holds exactly: of both signs, small integers for an integer type.
template <class T>
std::vector<T> test_data(int64_t count, uint32_t seed) {
  std::vector<double> values = test_values(count, seed);
  if constexpr (std::is_integral_v<T>) {
    for (double& value : values) value *= 8;
  }
  return converted<T>(values);
}

// In [low, high).
inline std::vector<float> uniform_floats(int64_t count, float low, float high, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> any(low, high);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = any(random);
  return values;
}

// Root of the mean squared difference over the root of the mean square of the expected values.
inline double relative_rms_error(const std::vector<double>& got,
                                 const std::vector<double>& wanted) {
  double difference = 0, size = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    size += wanted[i] * wanted[i];
  }
  if (!(difference >= 0)) return INFINITY;  // NaN
  return size == 0 ? std::sqrt(difference) : std::sqrt(difference / size);
}

}  // namespace systolic
