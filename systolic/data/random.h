// Random numbers by counting: the n-th number of a stream is a function of the stream's key and n,
// so that a pipeline can be taken up again anywhere.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace data {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
constexpr uint64_t mix_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
constexpr uint64_t random_at(uint64_t key, uint64_t n) {
  return mix_bits(mix_bits(key) + (n + 1) * 0x9e3779b97f4a7c15u);
}
// A number in [0, size), from 64 random bits.
constexpr uint64_t below(uint64_t size, uint64_t bits) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * size) >> 64);
}

}  // namespace data
}  // namespace systolic::inline v0
