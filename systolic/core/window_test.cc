#include "systolic/core/window.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace systolic {
namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max();

struct Case {
  int64_t size;
  WindowAxis axis;
  int64_t count;
  // Expected elements of the window at the first position.
  std::vector<int64_t> first;
};

// Written out by hand, for the array a b c ...
const Case cases[] = {
    {5, {.window = 3}, 3, {0, 1, 2}},
    {5, {.window = 3, .stride = 2}, 2, {0, 1, 2}},
    {3, {.window = 3, .padding_low = 1, .padding_high = 1}, 3, {-1, 0, 1}},  // . a b c .
    {3, {.window = 2, .base_dilation = 2}, 4, {0, -1}},                      // a . b . c
    {5, {.window = 2, .window_dilation = 3}, 2, {0, 3}},                     // a . . d
    {5, {.window = 2, .padding_low = -1, .padding_high = -1}, 2, {1, 2}},    // b c d
    {2, {.window = 3}, 0, {0, 1, -1}},
    {0, {.window = 1}, 0, {-1}},
    {0, {.window = 1, .padding_low = 2}, 2, {-1}},
    {largest, {.window = 1, .base_dilation = 4}, largest, {0}},
};

TEST(Window, PositionsAndElements) {
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases);
    EXPECT_EQ(window_count(c.size, c.axis), c.count);
    std::vector<int64_t> first;
    for (int64_t i = 0; i < c.axis.window; ++i) first.push_back(c.axis.element_at(0, i, c.size));
    EXPECT_EQ(first, c.first);
  }
}

TEST(Window, MovesByItsStride) {
  EXPECT_EQ((WindowAxis{.window = 3, .stride = 2, .padding_low = 1}.element_at(2, 1, 9)), 4);
}

}  // namespace
}  // namespace systolic
