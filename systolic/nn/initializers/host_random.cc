#include "systolic/nn/initializers/host_random.h"

#include <array>
#include <cmath>
#include <numbers>

#include "systolic/base/threads/thread_pool.h"
#include "systolic/core/random_bits.h"

namespace systolic::inline v0 {
namespace {

using Words = std::array<uint32_t, 4>;

Words philox(uint64_t seed, uint64_t position, uint64_t attempt) {
  const auto [x0, x1] = words_of(position);
  const auto [x2, x3] = words_of(attempt);
  return philox4x32(words_of(seed), {x0, x1, x2, x3});
}

// In [0, 1): the upper 24 bits.
float unit(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

std::array<float, 4> normals(const Words& words) {
  std::array<float, 4> result;
  for (size_t i = 0; i < 4; i += 2) {
    const float radius = std::sqrt(-2 * std::log(unit(words[i]) + 0x1p-25f));
    const float angle = 2 * std::numbers::pi_v<float> * unit(words[i + 1]);
    result[i] = radius * std::cos(angle);
    result[i + 1] = radius * std::sin(angle);
  }
  return result;
}

// Four values from each position: fill(position) -> array of 4 floats.
template <class Draw>
Literal drawn(const Shape& shape, Draw draw) {
  Literal result(DType::f32, shape);
  const std::span<float> values = result.mutable_data<float>();
  const int64_t blocks = (result.size() + 3) / 4;
  ThreadPool::compute().parallel_for(blocks, 4096, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const std::array<float, 4> four = draw(static_cast<uint64_t>(block));
      for (size_t i = 0; i < 4; ++i) {
        const size_t at = static_cast<size_t>(block) * 4 + i;
        if (at < values.size()) values[at] = four[i];
      }
    }
  });
  return result;
}

}  // namespace

Literal host_uniform(const Shape& shape, double low, double high, uint64_t seed) {
  const float from = static_cast<float>(low), width = static_cast<float>(high - low);
  return drawn(shape, [=](uint64_t block) {
    const Words words = philox(seed, block, 0);
    std::array<float, 4> four;
    for (size_t i = 0; i < 4; ++i) four[i] = from + width * unit(words[i]);
    return four;
  });
}

Literal host_normal(const Shape& shape, double mean, double stddev, uint64_t seed) {
  const float center = static_cast<float>(mean), width = static_cast<float>(stddev);
  return drawn(shape, [=](uint64_t block) {
    std::array<float, 4> four = normals(philox(seed, block, 0));
    for (float& value : four) value = center + width * value;
    return four;
  });
}

Literal host_truncated_normal(const Shape& shape, double mean, double stddev, uint64_t seed) {
  const float center = static_cast<float>(mean), width = static_cast<float>(stddev);
  return drawn(shape, [=](uint64_t block) {
    std::array<float, 4> four = normals(philox(seed, block, 0));
    // One in 22 lies outside; each is redrawn on its own, so that positions stay independent.
    for (size_t i = 0; i < 4; ++i) {
      for (uint64_t attempt = 1; std::abs(four[i]) > 2; ++attempt) {
        four[i] = normals(philox(seed, block, attempt))[i];
      }
    }
    for (float& value : four) value = center + width * value;
    return four;
  });
}

uint64_t mixed_seed(uint64_t seed, std::string_view text) {
  // FNV-1a, then SplitMix64.
  uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return splitmix64(hash);
}

}  // namespace systolic::inline v0
