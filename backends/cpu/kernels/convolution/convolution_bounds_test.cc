// What a convolution's result is kept within: from 0 on, and up to a number that is given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/text.h"
#include "systolic/core/float_types.h"

namespace systolic {
namespace {

using kernels::ConvolutionForward;
using kernels::ConvolutionMethod;
using kernels::ConvolutionShape;

struct BoundedCase {
  ConvolutionMethod method;
  ConvolutionShape shape;
};

ConvolutionShape bounded_pictures(int64_t in, int64_t out, int64_t kernel, int64_t stride,
                                  int64_t groups) {
  return {.batch = 2,
          .height = 9,
          .width = 10,
          .in_channels = in,
          .out_channels = out,
          .kernel_height = kernel,
          .kernel_width = kernel,
          .stride_height = stride,
          .stride_width = stride,
          .pad_top = kernel / 2,
          .pad_bottom = kernel / 2,
          .pad_left = kernel / 2,
          .pad_right = kernel / 2,
          .groups = groups};
}

std::vector<BoundedCase> bounded_cases() {
  std::vector<BoundedCase> result;
  for (const auto method : {ConvolutionMethod::automatic, ConvolutionMethod::generic,
                            ConvolutionMethod::direct, ConvolutionMethod::winograd}) {
    for (const ConvolutionShape& shape :
         {bounded_pictures(3, 32, 3, 2, 1), bounded_pictures(16, 24, 1, 1, 1),
          bounded_pictures(20, 20, 3, 1, 20), bounded_pictures(8, 17, 3, 1, 1)}) {
      result.push_back({method, shape});
    }
  }
  return result;
}

template <class T>
std::vector<T> convolved_within(const BoundedCase& of, const std::vector<T>& x, double most) {
  const ConvolutionShape& s = of.shape;
  const auto w = test_data<T>(s.weight_elements(), 2);
  const auto bias = test_data<T>(s.out_channels, 3);
  const ConvolutionForward forward(
      s, {.dtype = dtype_of<T>, .bias = true, .relu = true, .most = most, .method = of.method}, 2);
  AlignedBytes scratch(forward.scratch_bytes());
  std::vector<T> y(static_cast<size_t>(s.output_elements()), T(9));
  forward.run({.x = x.data(), .w = w.data(), .bias = bias.data(), .y = y.data()}, scratch.data(),
              pool());
  return y;
}

template <class T>
void expect_bounded() {
  constexpr double most = 0.75;
  for (const BoundedCase& of : bounded_cases()) {
    const auto x = test_data<T>(of.shape.input_elements(), 1);
    const auto y = convolved_within(of, x, std::numeric_limits<double>::infinity());
    const auto bounded = convolved_within(of, x, most);
    int64_t above = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      const auto number = static_cast<double>(y[i]);
      above += number > most ? 1 : 0;
      ASSERT_GE(number, 0) << i;
      ASSERT_EQ(static_cast<double>(bounded[i]), std::min(number, most)) << i;
    }
    EXPECT_GT(above, 0) << "the bound has nothing to do";
  }
}

TEST(ConvolutionBounds, HoldForFloats) { expect_bounded<float>(); }
TEST(ConvolutionBounds, HoldForDoubles) { expect_bounded<double>(); }
TEST(ConvolutionBounds, HoldForBfloat16) { expect_bounded<bfloat16>(); }
TEST(ConvolutionBounds, HoldForFloat16) { expect_bounded<float16>(); }

// The first number is NaN: what is computed from it is, too.
TEST(ConvolutionBounds, LeaveNanAsItIs) {
  for (const BoundedCase& of : bounded_cases()) {
    auto x = test_data<float>(of.shape.input_elements(), 1);
    x[0] = std::numeric_limits<float>::quiet_NaN();
    for (const double most : {0.75, std::numeric_limits<double>::infinity()}) {
      const auto y = convolved_within(of, x, most);
      EXPECT_TRUE(std::isnan(y[0])) << str("method ", static_cast<int>(of.method), ", ",
                                           of.shape.in_channels, " channels, at most ", most);
    }
  }
}

}  // namespace
}  // namespace systolic
