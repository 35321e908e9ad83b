// Windows against index arithmetic written out for the test: every position of every window, in
// double.
#include "backends/cpu/kernels/window/pooling.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/core/shape.h"

namespace systolic {
namespace {

using kernels::Pool2D;
using kernels::ReduceKind;
using kernels::SelectKind;
using Dims = std::vector<int64_t>;

Dims output_dims(const Dims& dims, const std::vector<WindowAxis>& axes) {
  Dims result;
  for (size_t k = 0; k < dims.size(); ++k) {
    result.push_back(window_count(dims[k], axes[k]));
  }
  return result;
}

// The elements of the input (row-major numbers) under each window, in row-major order of the
// window.
std::vector<std::vector<int64_t>> windows(const Dims& dims, const std::vector<WindowAxis>& axes) {
  std::vector<std::vector<int64_t>> result;
  const Dims outputs = output_dims(dims, axes);
  if (product(outputs) == 0) return result;
  Dims window_dims;
  for (const WindowAxis& axis : axes) window_dims.push_back(axis.window);
  Dims output(dims.size(), 0);
  do {
    std::vector<int64_t> elements;
    Dims window(dims.size(), 0);
    do {
      int64_t element = 0;
      bool inside = true;
      for (size_t k = 0; k < dims.size(); ++k) {
        const int64_t place =
            output[k] * axes[k].stride + window[k] * axes[k].window_dilation - axes[k].padding_low;
        inside = inside && place >= 0 && place % axes[k].base_dilation == 0 &&
                 place / axes[k].base_dilation < dims[k];
        element = element * dims[k] + place / axes[k].base_dilation;
      }
      if (inside) elements.push_back(element);
    } while (next_index(Shape(window_dims), window));
    result.push_back(elements);
  } while (next_index(Shape(outputs), output));
  return result;
}

struct Case {
  Dims dims;
  std::vector<WindowAxis> axes;
};
const WindowAxis one = {};
const Case nhwc[] = {
    {{2, 6, 8, 3}, {one, {2, 2}, {2, 2}, one}},
    {{1, 7, 7, 1}, {one, {3, 2, 1, 1, 1, 1}, {3, 2, 1, 1, 1, 1}, one}},  // overlapping, padded
    {{3, 5, 9, 70}, {one, {3, 1, 1, 1, 1, 1}, {2, 3, 1, 1, 0, 1}, one}},
    {{2, 28, 28, 32}, {one, {2, 2}, {2, 2}, one}},
    {{1, 4, 4, 130}, {one, {4, 4}, {4, 4}, one}},
};

Pool2D pool2d(const Case& c) {
  return {c.dims[0], c.dims[1], c.dims[2], c.dims[3], c.axes[1], c.axes[2]};
}

TEST(Pooling, MaximumAndItsGradient) {
  for (const Case& c : nhwc) {
    std::vector<float> x = converted<float>(test_values(product(c.dims), 1));
    for (float& value : x) value = std::round(value * 5);  // ties
    const auto under = windows(c.dims, c.axes);
    const std::vector<float> g = converted<float>(test_values(int64_t(under.size()), 2));
    std::vector<float> wanted(under.size()), got(under.size());
    std::vector<double> wanted_gradient(x.size());
    std::vector<float> gradient(x.size(), 9.0f);
    for (size_t n = 0; n < under.size(); ++n) {
      int64_t best = under[n][0];
      for (int64_t element : under[n]) best = x[element] > x[best] ? element : best;
      wanted[n] = x[best];
      wanted_gradient[best] += g[n];
    }
    kernels::max_pool(pool2d(c), x.data(), got.data(), pool());
    EXPECT_EQ(got, wanted);
    kernels::max_pool_gradient(pool2d(c), x.data(), g.data(), gradient.data(), pool());
    for (size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(gradient[i], wanted_gradient[i], 1e-6);
  }
}

TEST(Pooling, Sum) {
  for (const Case& c : nhwc) {
    const std::vector<float> x = converted<float>(test_values(product(c.dims), 1));
    const auto under = windows(c.dims, c.axes);
    std::vector<float> got(under.size());
    kernels::sum_pool(pool2d(c), x.data(), got.data(), pool());
    for (size_t n = 0; n < under.size(); ++n) {
      double wanted = 0;
      for (int64_t element : under[n]) wanted += x[element];
      ASSERT_NEAR(got[n], wanted, 5e-6);
    }
  }
}

TEST(Pooling, NanPropagatesAndItsGradientFollowsXla) {
  const Pool2D p = {1, 1, 3, 1, {1, 1}, {3, 1}};
  float y, gradient[3];
  const float one_gradient = 1;
  const float middle[] = {5, NAN, 1};
  kernels::max_pool(p, middle, &y, pool());
  EXPECT_TRUE(std::isnan(y));
  // NaN replaces 5 (5 >= NaN is false) and is replaced by 1.
  kernels::max_pool_gradient(p, middle, &one_gradient, gradient, pool());
  EXPECT_EQ(gradient[2], 1);
}

// Windows that no fast path takes, and the same NHWC ones under other inits.
const Case general[] = {
    {{5}, {{1}}},
    {{9}, {{3, 2, 1, 1, 1, 0}}},
    {{9}, {{3, 1, 2, 1, 0, 0}}},   // base dilation
    {{9}, {{3, 1, 1, 2, 2, 2}}},   // window dilation
    {{9}, {{4, 2, 3, 2, -2, 5}}},  // negative padding
    {{6, 7}, {{2, 1}, {3, 2, 1, 1, 1, 1}}},
    {{100}, {{100, 1, 1, 1, 99, 0}}},            // a running sum
    {{2, 3, 8, 8}, {one, one, {2, 2}, {2, 2}}},  // NCHW
    {{2, 9, 7, 11}, {one, one, {3, 2, 1, 1, 1, 1}, {4, 3, 1, 1, 2, 0}}},
    {{3, 20, 6}, {one, one, {2, 1, 1, 1, 1, 0}}},                   // NCW
    {{2, 9, 5}, {one, {3, 2, 1, 1, 1, 1}, one}},                    // NWC
    {{5, 6, 7}, {one, {2, 2, 1, 1, -1, -1}, {3, 1, 1, 1, -2, 1}}},  // elements cut off
    {{4, 3, 2}, {one, {2, 1, 1, 1, 3, 3}, {2, 1, 1, 1, 0, 4}}},     // windows of padding alone
    {{2, 6, 8, 3}, {one, {2, 2}, {2, 2}, one}},
    {{3, 2}, {{5, 1}, {1, 1}}},  // larger than the array: nothing
};

double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
    case ReduceKind::sum:
      return a + b;
    case ReduceKind::product:
      return a * b;
    case ReduceKind::maximum:
      return std::max(a, b);
    default:
      return std::min(a, b);
  }
}

// `rounding` is what the type loses in one step at most: relative to the numbers' magnitudes, which
// no partial result exceeds.
template <class T>
void check_reduce_window(double tolerance, double rounding = 0) {
  for (const Case& c : general) {
    const auto under = windows(c.dims, c.axes);
    size_t places = 1;  // of one window
    for (const WindowAxis& axis : c.axes) places *= static_cast<size_t>(axis.window);
    for (ReduceKind kind :
         {ReduceKind::sum, ReduceKind::product, ReduceKind::maximum, ReduceKind::minimum}) {
      for (double init : {0.0, 2.0}) {
        const std::vector<T> x = test_data<T>(product(c.dims), 4);
        const T start = converted<T>({init})[0];
        std::vector<T> got(under.size());
        kernels::reduce_window(kind, dtype_of<T>, c.dims, c.axes, x.data(), &start, got.data(),
                               pool());
        for (size_t n = 0; n < under.size(); ++n) {
          // StableHLO pads with the initial value, so that each place of padding folds it again.
          double wanted = init, magnitude = init;
          for (size_t k = under[n].size(); k < places; ++k) {
            wanted = combine(kind, wanted, init);
            magnitude = combine(kind, magnitude, init);
          }
          for (int64_t element : under[n]) {
            const auto value = static_cast<double>(x[element]);
            wanted = combine(kind, wanted, value);
            magnitude = combine(kind, magnitude, std::fabs(value));
          }
          if (std::is_integral_v<T> && std::fabs(wanted) > 1e9) continue;
          const double lost = rounding * static_cast<double>(places) * magnitude;
          ASSERT_NEAR(static_cast<double>(got[n]), wanted,
                      tolerance * (1 + std::fabs(wanted)) + lost)
              << to_string(dtype_of<T>) << " " << int(kind) << " window " << n;
        }
      }
    }
  }
}

TEST(ReduceWindow, AnyShapeAndType) {
  check_reduce_window<float>(1e-5);
  check_reduce_window<double>(1e-12);
  check_reduce_window<bfloat16>(0x1p-8, 0x1p-9);
  check_reduce_window<int32_t>(0);
}

TEST(ReduceWindow, MaximumWithItsNeutralInit) {
  for (const Case& c : general) {
    const auto under = windows(c.dims, c.axes);
    const std::vector<float> x = converted<float>(test_values(product(c.dims), 4));
    const float low = -INFINITY;
    std::vector<float> got(under.size());
    kernels::reduce_window(ReduceKind::maximum, DType::f32, c.dims, c.axes, x.data(), &low,
                           got.data(), pool());
    for (size_t n = 0; n < under.size(); ++n) {
      float wanted = -INFINITY;
      for (int64_t element : under[n]) wanted = std::max(wanted, x[element]);
      ASSERT_EQ(got[n], wanted);
    }
  }
}

template <class T>
void check_select_and_scatter() {
  for (const Case& c : general) {
    bool dilated = false;
    for (const WindowAxis& axis : c.axes) {
      dilated = dilated || axis.base_dilation != 1 || axis.window_dilation != 1;
    }
    if (dilated) continue;
    const auto under = windows(c.dims, c.axes);
    const std::vector<T> x = test_data<T>(product(c.dims), 4);
    const std::vector<T> source = test_data<T>(int64_t(under.size()), 5);
    for (bool largest : {true, false}) {
      for (double init : {0.0, 3.0}) {
        const T start = converted<T>({init})[0];
        std::vector<T> got(x.size());
        kernels::select_and_scatter(largest ? SelectKind::ge : SelectKind::le, ReduceKind::sum,
                                    dtype_of<T>, c.dims, c.axes, x.data(), source.data(), &start,
                                    got.data(), pool());
        std::vector<double> wanted(x.size(), init);
        for (size_t n = 0; n < under.size(); ++n) {
          if (under[n].empty()) continue;
          int64_t best = under[n][0];
          for (int64_t e : under[n]) best = (largest ? x[e] > x[best] : x[e] < x[best]) ? e : best;
          wanted[best] += static_cast<double>(source[n]);
        }
        for (size_t i = 0; i < x.size(); ++i) {
          ASSERT_NEAR(static_cast<double>(got[i]), wanted[i], 1e-5) << to_string(dtype_of<T>);
        }
      }
    }
  }
}

TEST(SelectAndScatter, AnyShapeAndType) {
  check_select_and_scatter<float>();
  check_select_and_scatter<double>();
  check_select_and_scatter<int32_t>();
}

// Few different values, so that most windows have ties, and those that compare in their own way.
std::vector<float> few_values(int64_t count) {
  const float values[] = {0.0f, -0.0f, 1, 1, -2, NAN, -INFINITY, INFINITY, 3, 3};
  std::vector<float> result;
  for (double random : test_values(count, 7)) {
    result.push_back(values[std::lrint(std::fabs(random) * 1e4) % 10]);
  }
  return result;
}

std::vector<uint32_t> bits_of(const std::vector<double>& values) {
  std::vector<uint32_t> result;
  for (double value : values) {
    result.push_back(std::isnan(value) ? 0x7fc00000 : std::bit_cast<uint32_t>(float(value)));
  }
  return result;
}

// Elements of f64 are visited one by one, in the order that StableHLO gives; planes of f32 are
// turned in blocks and bands.
void expect_as_f64(const Case& c) {
  const std::vector<float> x = few_values(product(c.dims));
  const std::vector<double> wide(x.begin(), x.end());
  const int64_t outputs = product(output_dims(c.dims, c.axes));
  const float low = -INFINITY, zero = 0;
  const double wide_low = -INFINITY, wide_zero = 0;
  std::vector<float> got(static_cast<size_t>(outputs));
  std::vector<double> wanted(got.size());
  kernels::reduce_window(ReduceKind::maximum, DType::f32, c.dims, c.axes, x.data(), &low,
                         got.data(), pool());
  kernels::reduce_window(ReduceKind::maximum, DType::f64, c.dims, c.axes, wide.data(), &wide_low,
                         wanted.data(), pool());
  ASSERT_EQ(bits_of({got.begin(), got.end()}), bits_of(wanted));
  // Powers of two: sums of them are exact.
  std::vector<float> source(got.size());
  for (size_t i = 0; i < source.size(); ++i) source[i] = std::ldexp(1.0f, int(i % 9));
  const std::vector<double> wide_source(source.begin(), source.end());
  std::vector<float> gradient(x.size(), 5);
  std::vector<double> wanted_gradient(x.size(), 5);
  kernels::select_and_scatter(SelectKind::ge, ReduceKind::sum, DType::f32, c.dims, c.axes, x.data(),
                              source.data(), &zero, gradient.data(), pool());
  kernels::select_and_scatter(SelectKind::ge, ReduceKind::sum, DType::f64, c.dims, c.axes,
                              wide.data(), wide_source.data(), &wide_zero, wanted_gradient.data(),
                              pool());
  ASSERT_EQ(bits_of({gradient.begin(), gradient.end()}), bits_of(wanted_gradient));
}

TEST(Planes, SameElementsAsOneByOne) {
  const Dims shapes[] = {{1, 1, 9, 9}, {2, 3, 7, 13}, {1, 16, 5, 17}, {5, 7, 12, 1}, {33, 40}, {9}};
  for (const Dims& dims : shapes) {
    for (const auto& [window, stride] : {std::pair(2, 2), {3, 1}, {3, 2}, {4, 3}, {2, 5}}) {
      for (const auto& [low, high] : {std::pair(0, 0), {1, 1}, {2, 0}, {0, 6}, {-1, 2}}) {
        Case c{dims, std::vector<WindowAxis>(dims.size())};
        c.axes.back() = {window, stride, 1, 1, low, high};
        ASSERT_NO_FATAL_FAILURE(expect_as_f64(c)) << window << " " << stride << " " << low;
        if (dims.size() < 3) continue;
        c.axes[dims.size() - 2] = {stride, window, 1, 1, high, low};
        ASSERT_NO_FATAL_FAILURE(expect_as_f64(c)) << window << " " << stride << " " << low;
      }
    }
  }
}

TEST(Planes, Bands) {
  const WindowAxis overlapping = {3, 2, 1, 1, 1, 1};
  expect_as_f64({{2, 9, 61, 300}, {one, one, overlapping, overlapping}});
  expect_as_f64({{2, 300, 40}, {one, {7, 1, 1, 1, 3, 3}, {1, 3}}});
  expect_as_f64({{1, 2, 200000}, {one, one, overlapping}});  // longer than what is turned
}

}  // namespace
}  // namespace systolic
