#include "systolic/ir/shard.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"

namespace systolic {
namespace {

using ir::Sharding;

TEST(Shard, RangesOfEachCore) {
  struct Case {
    Shape shape;
    std::vector<int64_t> tiles;
    int64_t core, cores;
    std::vector<int64_t> start, size;
  };
  const Case cases[] = {
      {{16, 5}, {8, 1}, 0, 8, {0, 0}, {2, 5}},  {{16, 5}, {8, 1}, 7, 8, {14, 0}, {2, 5}},
      {{4, 6}, {2, 3}, 4, 6, {2, 2}, {2, 2}},    // row-major: tile (1, 1)
      {{16, 5}, {4, 1}, 1, 8, {0, 0}, {4, 5}},   // fewer tiles than cores: cores 0 and 1,
      {{16, 5}, {4, 1}, 2, 8, {4, 0}, {4, 5}},   // then 2 and 3
      {{16, 5}, {4, 1}, 7, 8, {12, 0}, {4, 5}},  //
      {{3, 4}, {1, 2}, 3, 8, {0, 0}, {3, 2}},   {{3, 4}, {1, 2}, 4, 8, {0, 2}, {3, 2}},
      {{0, 4}, {2, 1}, 1, 2, {0, 0}, {0, 4}},   {{3, 4}, {}, 5, 8, {0, 0}, {3, 4}},
      {{3, 4}, {1, 1}, 5, 8, {0, 0}, {3, 4}},   {{}, {}, 5, 8, {}, {}},
  };
  for (const Case& c : cases) {
    const Sharding sharding{c.tiles};
    ir::check_sharding(sharding, c.shape, c.cores);
    const ir::ShardRange range = ir::shard_range(c.shape, sharding, c.core, c.cores);
    EXPECT_EQ(range.start, c.start) << to_string(c.shape) << " core " << c.core;
    EXPECT_EQ(range.size, c.size) << to_string(c.shape) << " core " << c.core;
  }
}

TEST(Shard, RefusesWhatCannotBeSplit) {
  struct Case {
    Shape shape;
    std::vector<int64_t> tiles;
    int64_t cores;
  };
  const Case cases[] = {
      {{9}, {8}, 8},        // does not divide the size
      {{16}, {8, 1}, 8},    // another rank
      {{16}, {0}, 8},       //
      {{16}, {-8}, 8},      //
      {{16, 3}, {4, 3}, 8}  // 12 parts, 8 cores
  };
  for (const Case& c : cases) {
    EXPECT_THROW(ir::check_sharding({c.tiles}, c.shape, c.cores), InvalidArgument)
        << to_string(c.shape);
  }
}

}  // namespace
}  // namespace systolic
