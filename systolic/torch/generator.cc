#include "systolic/torch/generator.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace torch {

struct Generator::State {
  uint64_t seed = 0;
  std::mt19937 engine;
  std::optional<double> next_normal;  // the second of a pair
};

Generator::Generator(uint64_t seed) : state_(std::make_shared<State>()) { manual_seed(seed); }

Generator& Generator::manual_seed(uint64_t seed) {
  *state_ = {.seed = seed, .engine = std::mt19937(static_cast<uint32_t>(seed)), .next_normal = {}};
  return *this;
}

uint64_t Generator::initial_seed() const { return state_->seed; }
Generator Generator::clone() const { return Generator(std::make_shared<State>(*state_)); }

uint32_t Generator::random() { return static_cast<uint32_t>(state_->engine()); }

uint64_t Generator::random64() {
  const uint64_t upper = random();
  return upper << 32 | random();
}

int64_t Generator::random_seed() { return static_cast<int64_t>(random64() & ~(uint64_t{1} << 63)); }

Literal Generator::uniform(const Shape& shape, double low, double high) {
  Literal result(DType::f32, shape);
  const auto from = static_cast<float>(low), to = static_cast<float>(high);
  for (float& value : result.mutable_data<float>()) {
    const float unit = static_cast<float>(random() & 0xffffff) * 0x1p-24f;
    value = unit * (to - from) + from;
  }
  return result;
}

double Generator::uniform_double() {
  return static_cast<double>(random64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

// Box and Muller 1958; the second number of a pair waits.
double Generator::normal_double() {
  if (state_->next_normal) return *std::exchange(state_->next_normal, std::nullopt);
  const double u1 = uniform_double(), u2 = uniform_double();
  const double radius = std::sqrt(-2.0 * std::log1p(-u2)), theta = 2.0 * M_PI * u1;
  state_->next_normal = radius * std::sin(theta);
  return radius * std::cos(theta);
}

namespace {

constexpr size_t normal_block = 16;

// Sixteen uniform numbers become normal ones: the first half gives radii, the second angles.
void to_normal(float* data, float mean, float stddev) {
  constexpr size_t half = normal_block / 2;
  for (size_t i = 0; i < half; ++i) {
    const float u1 = 1 - data[i], u2 = data[i + half];
    const float radius = std::sqrt(-2 * std::log(u1));
    const float theta = 2.0f * static_cast<float>(M_PI) * u2;
    data[i] = radius * std::cos(theta) * stddev + mean;
    data[i + half] = radius * std::sin(theta) * stddev + mean;
  }
}

}  // namespace

Literal Generator::normal(const Shape& shape, double mean, double stddev) {
  const auto count = static_cast<size_t>(shape.elements());
  const auto m = static_cast<float>(mean), s = static_cast<float>(stddev);
  if (count < normal_block) {
    Literal result(DType::f32, shape);
    for (float& value : result.mutable_data<float>()) {
      value = static_cast<float>(normal_double() * stddev + mean);
    }
    return result;
  }
  Literal result = uniform(shape, 0, 1);
  float* data = result.mutable_data<float>().data();
  for (size_t i = 0; i + normal_block <= count; i += normal_block) to_normal(data + i, m, s);
  if (count % normal_block != 0) {
    // The last sixteen are drawn again.
    const Literal tail = uniform({static_cast<int64_t>(normal_block)}, 0, 1);
    const auto drawn = tail.data<float>();
    float* last = data + count - normal_block;
    std::copy(drawn.begin(), drawn.end(), last);
    to_normal(last, m, s);
  }
  return result;
}

std::vector<int64_t> randperm(int64_t n, std::optional<Generator> generator,
                              SourceLocation location) {
  if (n < 0) raise<InvalidArgument>({.what = str("randperm of ", n), .location = location});
  Generator& source = generator ? *generator : default_generator();
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  // Above this, a remainder of 32 bits would be too uneven, and torch draws 64.
  const bool wide = static_cast<uint64_t>(n) >= UINT32_MAX / 20;
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    const uint64_t drawn = wide ? source.random64() : source.random();
    std::swap(order[i], order[i + drawn % (order.size() - i)]);
  }
  return order;
}

}  // namespace torch
}  // namespace systolic::inline v0
