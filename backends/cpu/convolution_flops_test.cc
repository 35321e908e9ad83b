#include "backends/cpu/lower/products/convolution_flops.h"

#include <gtest/gtest.h>

#include <limits>

#include "systolic/base/text.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

// By the definition.
int64_t counted(int64_t size, const WindowAxis& axis) {
  int64_t pairs = 0;
  for (int64_t position = 0; position < window_count(size, axis); ++position) {
    for (int64_t i = 0; i < axis.window; ++i) pairs += axis.element_at(position, i, size) >= 0;
  }
  return pairs;
}

TEST(ConvolutionFlops, CountsWhatTheWindowMeets) {
  for (int64_t size : {0, 1, 4, 7}) {
    for (int64_t window : {0, 1, 3, 5}) {
      for (int64_t stride : {1, 2, 3}) {
        for (int64_t apart : {1, 2, 4, 6}) {
          for (int64_t dilation : {1, 2}) {
            for (const auto& [low, high] : {std::pair{0, 0}, {1, 1}, {3, 0}, {-1, 2}, {0, -2}}) {
              const WindowAxis axis{window, stride, apart, dilation, low, high};
              EXPECT_EQ(cpu::meeting_pairs(size, axis), counted(size, axis))
                  << str(size, ": ", window, " by ", stride, ", apart ", apart, ", ", dilation,
                         ", padding ", low, " ", high);
            }
          }
        }
      }
    }
  }
}

TEST(ConvolutionFlops, OfLargeAxesTakesNoTime) {
  constexpr int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(cpu::meeting_pairs(huge, {.window = 3, .padding_low = 1, .padding_high = 1}),
            3 * huge - 2);
  EXPECT_EQ(cpu::meeting_pairs(2, {.window = 2, .base_dilation = huge}), 2);
  EXPECT_EQ(cpu::meeting_pairs(huge, {.window = huge}), huge);
  // Each element of the axis at each position.
  EXPECT_EQ(cpu::meeting_pairs(4, {.window = huge, .padding_low = huge, .padding_high = 0}), 4 * 5);
  EXPECT_EQ(cpu::meeting_pairs(0, {.window = huge, .padding_low = huge}), 0);
  EXPECT_EQ(cpu::meeting_pairs(4, {.window = huge}), 0);
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(cpu::meeting_pairs(most, {.window = most / 2}), most);
}

// [2, 10, 10, 3] * [3, 3, 3, 8], as long as before: 28 of 30 taps of each axis meet an image.
TEST(ConvolutionFlops, OfImages) {
  ir::ConvolutionAttributes a = ir::channels_last_convolution(2);
  a.padding = {{1, 1}, {1, 1}};
  EXPECT_EQ(cpu::convolution_flops(a, {2, 10, 10, 3}, {3, 3, 3, 8}, {2, 10, 10, 8}),
            2.0 * 2 * 8 * 3 * 28 * 28);
  a.feature_group_count = 3;
  EXPECT_EQ(cpu::convolution_flops(a, {2, 10, 10, 3}, {3, 3, 1, 6}, {2, 10, 10, 6}),
            2.0 * 2 * 6 * 1 * 28 * 28);
}

// Two images of 10 x 10 with 3 channels, a window of 3 x 3, 20 features: 8 x 8 positions each.
TEST(ConvolutionFlops, AMatrixUnitPadsSidesToItsOwn) {
  const ir::ConvolutionAttributes attributes = ir::channels_last_convolution(2);
  const cpu::MatrixWork work = cpu::convolution_work(attributes, Shape{2, 10, 10, 3},
                                                     Shape{3, 3, 3, 20}, Shape{2, 8, 8, 20}, 128);
  EXPECT_EQ(work.flops, 2.0 * 2 * 8 * 8 * 27 * 20);
  EXPECT_EQ(work.padded_flops, 2.0 * 2 * 8 * 8 * 128 * 128);
}

}  // namespace
}  // namespace systolic
