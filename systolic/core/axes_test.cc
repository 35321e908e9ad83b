#include "systolic/core/axes.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

using Axes = std::vector<int64_t>;

TEST(Axes, AreCountedJoinedAndLeft) {
  EXPECT_EQ(axes_from(2, 3), (Axes{2, 3, 4}));
  EXPECT_EQ(axes_from(2, 0), Axes{});
  EXPECT_EQ(joined_axes(Axes{3, 1}, Axes{0}), (Axes{3, 1, 0}));
  EXPECT_EQ(remaining_axes(4, Axes{3, 1}), (Axes{0, 2}));
  EXPECT_EQ(remaining_axes(2, Axes{}), (Axes{0, 1}));
  EXPECT_EQ(remaining_axes(1, Axes{0}), Axes{});
  EXPECT_TRUE(has_axis(Axes{3, 1}, 1));
  EXPECT_FALSE(has_axis(Axes{3, 1}, 0));
}

TEST(Axes, AnInversePermutationPutsEachBack) {
  EXPECT_EQ(inverse_permutation(Axes{2, 0, 1}), (Axes{1, 2, 0}));
  EXPECT_EQ(inverse_permutation(Axes{}), Axes{});
}

}  // namespace
}  // namespace systolic
