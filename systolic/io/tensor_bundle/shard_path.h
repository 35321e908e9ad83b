// The names of a tensor bundle's files of numbers.
#pragma once

#include <cstdio>
#include <string>

namespace systolic::inline v0 {
namespace io {

// "model/ckpt.data-00000-of-00001"
inline std::string shard_path(const std::string& prefix, size_t shard, size_t shards) {
  char numbers[64];
  std::snprintf(numbers, sizeof(numbers), ".data-%05zu-of-%05zu", shard, shards);
  return prefix + numbers;
}

}  // namespace io
}  // namespace systolic::inline v0
