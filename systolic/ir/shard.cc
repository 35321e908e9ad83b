#include "systolic/ir/shard.h"

#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace ir {

int64_t tile_count(const Sharding& sharding) {
  int64_t count = 1;
  for (int64_t tiles : sharding.tiles) count *= tiles;
  return count;
}

void check_sharding(const Sharding& sharding, const Shape& shape, int64_t cores) {
  if (sharding.tiles.empty()) return;
  if (static_cast<int>(sharding.tiles.size()) != shape.rank()) {
    raise<InvalidArgument>({.what = str("a sharding of ", sharding.tiles.size(),
                                        " axes for an array ", to_string(shape)),
                            .wanted = "one number of tiles an axis"});
  }
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t tiles = sharding.tiles[static_cast<size_t>(axis)];
    if (tiles > 0 && shape[axis] % tiles == 0) continue;
    raise<InvalidArgument>({.what = str("axis ", axis, " of an array ", to_string(shape),
                                        " cannot be split over ", tiles, " cores"),
                            .wanted = "a size that is a multiple of the number of cores"});
  }
  const int64_t count = tile_count(sharding);
  if (cores % count != 0) {
    raise<InvalidArgument>(
        {.what = str("an array ", to_string(shape), " in ", count, " parts on ", cores, " cores"),
         .wanted = "a number of parts that divides the cores"});
  }
}

ShardRange shard_range(const Shape& shape, const Sharding& sharding, int64_t core, int64_t cores) {
  ShardRange range{.start = std::vector<int64_t>(shape.dims().size(), 0),
                   .size = {shape.dims().begin(), shape.dims().end()}};
  if (sharding.replicated()) return range;
  int64_t tile = core / (cores / tile_count(sharding));
  for (size_t axis = range.size.size(); axis-- > 0;) {
    const int64_t tiles = sharding.tiles[axis];
    range.size[axis] /= tiles;
    range.start[axis] = tile % tiles * range.size[axis];
    tile /= tiles;
  }
  return range;
}

}  // namespace ir
}  // namespace systolic::inline v0
