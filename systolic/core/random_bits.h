// Random bits by counting: the n-th number of a stream is a function of the stream's key and of n,
// so that any number of threads can continue a stream anywhere. One block at a time; kernels
// compute the same in whole vectors.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace systolic::inline v0 {

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014): its
// step, its finalizer, and the number that follows a state.
inline constexpr uint64_t splitmix64_step = 0x9e3779b97f4a7c15u;
constexpr uint64_t mix_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
constexpr uint64_t splitmix64(uint64_t state) { return mix_bits(state + splitmix64_step); }

// Words of a key or a counter, low word first.
constexpr std::array<uint32_t, 2> words_of(uint64_t x) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)};
}

// Threefry-2x32 with 20 rounds and Philox-4x32 with 10 (Salmon, Moraes, Dror, Shaw: "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011).
constexpr std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key,
                                               std::array<uint32_t, 2> counter) {
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bdau};
  uint32_t x0 = counter[0] + schedule[0], x1 = counter[1] + schedule[1];
  for (uint32_t round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = std::rotl(x1, rotations[round % 8]) ^ x0;
    if (round % 4 == 3) {
      const uint32_t step = round / 4 + 1;
      x0 += schedule[step % 3];
      x1 += schedule[(step + 1) % 3] + step;
    }
  }
  return {x0, x1};
}

constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key,
                                             std::array<uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xd2511f53u} * counter[0];
    const uint64_t b = uint64_t{0xcd9e8d57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(a)};
    key[0] += 0x9e3779b9u;
    key[1] += 0xbb67ae85u;
  }
  return counter;
}

}  // namespace systolic::inline v0
