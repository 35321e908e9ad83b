// Hashes of ops, made of their parts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace systolic::inline v0 {
namespace passes {

inline size_t mixed_hash(size_t hash, uint64_t value) {
  return (hash ^ static_cast<size_t>(value)) * 0x9E3779B97F4A7C15ull + (hash >> 29);
}

}  // namespace passes
}  // namespace systolic::inline v0
