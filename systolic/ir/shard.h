// Which part of a sharded array a core holds.
//
//   Sharding rows = Sharding::along(0, 2, 4);               // [16, 5] over 4 of 8 cores
//   shard_range({16, 5}, rows, 3, 8);                       // start {4, 0}, size {4, 5}
//
// Cores go through the tiles in row-major order; where there are more cores than tiles, neighbours
// hold the same one. "{devices=[4,1,2]<=[8] last_tile_dim_replicate}", as modules print it, means
// this.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Into how many different parts an array is split; 1 for a replicated one.
int64_t tile_count(const Sharding& sharding);

// InvalidArgument unless an array of this shape can be split in this way over `cores`: a number of
// tiles for each axis that divides its size, whose product divides the number of cores.
void check_sharding(const Sharding& sharding, const Shape& shape, int64_t cores);

// The first index and the number of elements along each axis.
struct ShardRange {
  std::vector<int64_t> start, size;
  friend bool operator==(const ShardRange&, const ShardRange&) = default;
};

// The part of core `core` of `cores`, for a sharding that check_sharding accepts.
ShardRange shard_range(const Shape& shape, const Sharding& sharding, int64_t core, int64_t cores);

}  // namespace ir
}  // namespace systolic::inline v0
