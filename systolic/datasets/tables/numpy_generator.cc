#include "systolic/datasets/tables/numpy_generator.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

namespace systolic::inline v0 {
namespace datasets {
namespace {

using Word128 = unsigned __int128;

constexpr size_t pool_words = 4;

// numpy/random/bit_generator.pyx, SeedSequence: hashes and mixes the seed's 32-bit words.
class SeedPool {
 public:
  explicit SeedPool(uint64_t seed) {
    std::vector<uint32_t> words = {static_cast<uint32_t>(seed)};
    if (seed >> 32 != 0) words.push_back(static_cast<uint32_t>(seed >> 32));
    for (size_t i = 0; i < pool_words; ++i) pool_[i] = hashed(i < words.size() ? words[i] : 0);
    for (size_t from = 0; from < pool_words; ++from) {
      for (size_t to = 0; to < pool_words; ++to) {
        if (from != to) pool_[to] = mixed(pool_[to], hashed(pool_[from]));
      }
    }
  }

  // generate_state(4, uint64).
  std::array<uint64_t, 4> state() const {
    std::array<uint64_t, 4> numbers{};
    uint32_t multiplier = 0x8b51f9dd;
    for (size_t i = 0; i < 2 * numbers.size(); ++i) {
      uint32_t word = pool_[i % pool_words] ^ multiplier;
      multiplier *= 0x58f38ded;
      word *= multiplier;
      word ^= word >> 16;
      numbers[i / 2] |= uint64_t{word} << (32 * (i % 2));
    }
    return numbers;
  }

 private:
  uint32_t hashed(uint32_t word) {
    word ^= multiplier_;
    multiplier_ *= 0x931e8875;
    word *= multiplier_;
    return word ^ (word >> 16);
  }
  static uint32_t mixed(uint32_t x, uint32_t y) {
    const uint32_t word = x * 0xca01f9dd - y * 0x4973f715;
    return word ^ (word >> 16);
  }

  std::array<uint32_t, pool_words> pool_{};
  uint32_t multiplier_ = 0x43b0d7e5;
};

constexpr Word128 pcg_multiplier = (Word128{0x2360ed051fc65da4} << 64) | 0x4385df649fccf645;

uint64_t mask_of(uint64_t most) {
  uint64_t mask = most;
  for (const int shift : {1, 2, 4, 8, 16, 32}) mask |= mask >> shift;
  return mask;
}

}  // namespace

NumpyGenerator::NumpyGenerator(uint64_t seed) {
  const std::array<uint64_t, 4> words = SeedPool(seed).state();
  increment_ = (((Word128{words[2]} << 64) | words[3]) << 1) | 1;
  state_ = increment_;  // one step from 0
  state_ += (Word128{words[0]} << 64) | words[1];
  state_ = state_ * pcg_multiplier + increment_;
}

uint64_t NumpyGenerator::next64() {
  state_ = state_ * pcg_multiplier + increment_;
  const auto folded = static_cast<uint64_t>(state_ >> 64) ^ static_cast<uint64_t>(state_);
  const auto turn = static_cast<unsigned>(state_ >> 122);
  return (folded >> turn) | (folded << ((64 - turn) % 64));
}

uint32_t NumpyGenerator::next32() {
  has_half_ = !has_half_;
  if (!has_half_) return half_;
  const uint64_t number = next64();
  half_ = static_cast<uint32_t>(number >> 32);
  return static_cast<uint32_t>(number);
}

uint64_t NumpyGenerator::bounded(uint64_t most) {
  if (most == 0) return 0;
  if (most == UINT32_MAX) return next32();
  if (most < UINT32_MAX) {
    const auto count = static_cast<uint32_t>(most) + 1;
    uint64_t product = uint64_t{next32()} * count;
    const uint32_t least = (UINT32_MAX - static_cast<uint32_t>(most)) % count;
    while (static_cast<uint32_t>(product) < least) product = uint64_t{next32()} * count;
    return product >> 32;
  }
  const uint64_t count = most + 1;
  Word128 product = Word128{next64()} * count;
  const uint64_t least = (UINT64_MAX - most) % count;
  while (static_cast<uint64_t>(product) < least) product = Word128{next64()} * count;
  return static_cast<uint64_t>(product >> 64);
}

uint64_t NumpyGenerator::masked(uint64_t most) {
  if (most == 0) return 0;
  const uint64_t mask = mask_of(most);
  uint64_t value = 0;
  do {
    value = (most <= UINT32_MAX ? next32() : next64()) & mask;
  } while (value > most);
  return value;
}

void NumpyGenerator::shuffle_integers(std::vector<int64_t>& values, size_t first) {
  for (size_t i = values.size(); i-- > first;) std::swap(values[i], values[bounded(i)]);
}

std::vector<int64_t> NumpyGenerator::permutation(int64_t n) {
  std::vector<int64_t> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  shuffle(values);
  return values;
}

void NumpyGenerator::shuffle(std::vector<int64_t>& values) {
  for (size_t i = values.size(); i-- > 1;) std::swap(values[i], values[masked(i)]);
}

std::vector<int64_t> NumpyGenerator::choice(int64_t n, int64_t size) {
  constexpr int64_t large = 10'000, tail_share = 50;
  if (n > large && size > n / tail_share) {
    std::vector<int64_t> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), 0);
    shuffle_integers(values, static_cast<size_t>(std::max<int64_t>(n - size, 1)));
    return {values.end() - static_cast<std::ptrdiff_t>(size), values.end()};
  }
  // Floyd's.
  std::unordered_set<int64_t> taken;
  std::vector<int64_t> values;
  for (int64_t j = n - size; j < n; ++j) {
    const auto drawn = static_cast<int64_t>(bounded(static_cast<uint64_t>(j)));
    values.push_back(taken.insert(drawn).second ? drawn : j);
    taken.insert(values.back());
  }
  shuffle_integers(values, 1);
  return values;
}

}  // namespace datasets
}  // namespace systolic::inline v0
