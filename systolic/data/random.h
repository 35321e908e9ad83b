// Random numbers by counting: the n-th number of a stream is a function of the stream's key and n,
// so that a pipeline can be resumed anywhere.
#pragma once

#include <cstdint>

#include "systolic/core/random_bits.h"

namespace systolic::inline v0 {
namespace data {

constexpr uint64_t random_at(uint64_t key, uint64_t n) {
  return splitmix64(mix_bits(key) + n * splitmix64_step);
}
// A number in [0, size), from 64 random bits.
constexpr uint64_t below(uint64_t size, uint64_t bits) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * size) >> 64);
}

}  // namespace data
}  // namespace systolic::inline v0
