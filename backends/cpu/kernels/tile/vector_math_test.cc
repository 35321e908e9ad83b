// Checks the stated error and range of every function of vector_math-inl.h against double
// precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/tile/vector_math_test.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/tile/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

namespace vector_math {

// What is not valid everywhere, where it is.
template <class D, class V>
V exp_of_decay(D d, V x) {
  return exp_up_to_0(d, hn::Neg(hn::Abs(x)));
}
template <class D, class V>
V fast_reciprocal(D d, V x) {
  const V bounded = hn::Min(hn::Max(x, hn::Set(d, 0x1p-100f)), hn::Set(d, 0x1p100f));
  return hn::IfThenElse(is_nan(x), x, fast_divide(d, hn::Set(d, 1.0f), bounded));
}

}  // namespace vector_math

#define SYSTOLIC_TEST_UNARY(name)                                      \
  void name##_array(const float* x, float* y, size_t count) {          \
    const hn::ScalableTag<float> d;                                    \
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {                 \
      hn::StoreU(vector_math::name(d, hn::LoadU(d, x + i)), d, y + i); \
    }                                                                  \
  }
#define SYSTOLIC_TEST_BINARY(name)                                                          \
  void name##_array(const float* x, const float* y, float* z, size_t count) {               \
    const hn::ScalableTag<float> d;                                                         \
    for (size_t i = 0; i < count; i += hn::Lanes(d)) {                                      \
      hn::StoreU(vector_math::name(d, hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, z + i); \
    }                                                                                       \
  }
namespace hn = hwy::HWY_NAMESPACE;
SYSTOLIC_TEST_UNARY(exp)
SYSTOLIC_TEST_UNARY(expm1)
SYSTOLIC_TEST_UNARY(log)
SYSTOLIC_TEST_UNARY(log1p)
SYSTOLIC_TEST_UNARY(tanh)
SYSTOLIC_TEST_UNARY(logistic)
SYSTOLIC_TEST_UNARY(erf)
SYSTOLIC_TEST_UNARY(sin)
SYSTOLIC_TEST_UNARY(cos)
SYSTOLIC_TEST_UNARY(tan)
SYSTOLIC_TEST_UNARY(cbrt)
SYSTOLIC_TEST_UNARY(rsqrt)
SYSTOLIC_TEST_UNARY(fast_sqrt)
SYSTOLIC_TEST_UNARY(exp_of_decay)
SYSTOLIC_TEST_UNARY(fast_reciprocal)
SYSTOLIC_TEST_BINARY(pow)
SYSTOLIC_TEST_BINARY(atan2)

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic {
namespace kernels {
HWY_EXPORT(exp_array);
HWY_EXPORT(expm1_array);
HWY_EXPORT(log_array);
HWY_EXPORT(log1p_array);
HWY_EXPORT(tanh_array);
HWY_EXPORT(logistic_array);
HWY_EXPORT(erf_array);
HWY_EXPORT(exp_of_decay_array);
HWY_EXPORT(fast_reciprocal_array);
HWY_EXPORT(sin_array);
HWY_EXPORT(cos_array);
HWY_EXPORT(tan_array);
HWY_EXPORT(cbrt_array);
HWY_EXPORT(rsqrt_array);
HWY_EXPORT(fast_sqrt_array);
HWY_EXPORT(pow_array);
HWY_EXPORT(atan2_array);

namespace {

constexpr size_t chunk = 1 << 12;

// |got - exact| in units of the last place of an f32 near `exact`; 0 when both are the same special
// value.
double ulp_error(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : INFINITY;
  const float rounded = static_cast<float>(exact);
  if (std::isinf(rounded)) return got == rounded || std::fabs(got) > 3.4028e38f ? 0 : INFINITY;
  if (std::isnan(got)) return INFINITY;
  if (exact == 0) return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : INFINITY;
  if (std::isinf(got)) return std::fabs(exact) > 3.40282e38 ? 1 : INFINITY;
  int exponent;
  std::frexp(exact, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - 24, -149));
  return std::fabs(got - exact) / unit;
}

// Every `step`-th float of both signs, with the special values; a prime step meets all mantissas
// and exponents.
std::vector<float> sweep(uint32_t step) {
  std::vector<float> result = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f, 0.5f, 2.0f};
  for (uint64_t bits = 1; bits < 0x7f800000u; bits += step) {
    for (uint32_t sign : {0u, 0x80000000u}) {
      const uint32_t word = static_cast<uint32_t>(bits) | sign;
      float value;
      std::memcpy(&value, &word, 4);
      result.push_back(value);
    }
  }
  // Where the functions are used most.
  for (int i = -40000; i <= 40000; ++i) result.push_back(static_cast<float>(i) * 0.000731f);
  while (result.size() % chunk != 0) result.push_back(1.0f);
  return result;
}

struct UnaryCase {
  const char* name;
  void (*function)(const float*, float*, size_t);
  double (*exact)(double);
  double max_ulp;
};

TEST(VectorMath, UnaryFunctionsStayWithinTheirStatedError) {
  const UnaryCase cases[] = {
      {"exp", HWY_DYNAMIC_DISPATCH(exp_array), [](double x) { return std::exp(x); }, 2},
      {"expm1", HWY_DYNAMIC_DISPATCH(expm1_array), [](double x) { return std::expm1(x); }, 2},
      {"log", HWY_DYNAMIC_DISPATCH(log_array), [](double x) { return std::log(x); }, 2},
      {"log1p", HWY_DYNAMIC_DISPATCH(log1p_array), [](double x) { return std::log1p(x); }, 2},
      {"tanh", HWY_DYNAMIC_DISPATCH(tanh_array), [](double x) { return std::tanh(x); }, 3},
      {"logistic", HWY_DYNAMIC_DISPATCH(logistic_array),
       [](double x) { return 1 / (1 + std::exp(-x)); }, 3},
      {"erf", HWY_DYNAMIC_DISPATCH(erf_array), [](double x) { return std::erf(x); }, 5},
      {"exp_up_to_0", HWY_DYNAMIC_DISPATCH(exp_of_decay_array),
       [](double x) { return std::exp(-std::abs(x)); }, 2},
      {"fast_divide", HWY_DYNAMIC_DISPATCH(fast_reciprocal_array),
       [](double x) { return std::isnan(x) ? x : 1 / std::clamp(x, 0x1p-100, 0x1p100); }, 2.1},
      {"sin", HWY_DYNAMIC_DISPATCH(sin_array), [](double x) { return std::sin(x); }, 2},
      {"cos", HWY_DYNAMIC_DISPATCH(cos_array), [](double x) { return std::cos(x); }, 2},
      {"tan", HWY_DYNAMIC_DISPATCH(tan_array), [](double x) { return std::tan(x); }, 3},
      {"cbrt", HWY_DYNAMIC_DISPATCH(cbrt_array), [](double x) { return std::cbrt(x); }, 2},
      {"rsqrt", HWY_DYNAMIC_DISPATCH(rsqrt_array), [](double x) { return 1 / std::sqrt(x); }, 2},
      {"fast_sqrt", HWY_DYNAMIC_DISPATCH(fast_sqrt_array), [](double x) { return std::sqrt(x); },
       1.1},
  };
  const std::vector<float> x = sweep(2503);
  std::vector<float> y(x.size());
  for (const UnaryCase& c : cases) {
    c.function(x.data(), y.data(), x.size());
    double worst = 0;
    float at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double error = ulp_error(y[i], c.exact(x[i]));
      if (error > worst) worst = error, at = x[i];
    }
    EXPECT_LE(worst, c.max_ulp) << c.name << "(" << at << ")";
    RecordProperty(c.name, std::to_string(worst));
  }
}

TEST(VectorMath, BinaryFunctionsStayWithinTheirStatedError) {
  struct BinaryCase {
    const char* name;
    void (*function)(const float*, const float*, float*, size_t);
    double (*exact)(double, double);
    double max_ulp;
  };
  const BinaryCase cases[] = {
      {"pow", HWY_DYNAMIC_DISPATCH(pow_array), [](double x, double y) { return std::pow(x, y); },
       1},
      {"atan2", HWY_DYNAMIC_DISPATCH(atan2_array),
       [](double y, double x) { return std::atan2(y, x); }, 4},
  };
  const std::vector<float> x = sweep(2503);
  std::vector<float> y(x.size()), z(x.size());
  const float companions[] = {0.0f,  -0.0f, 1.0f,  -1.0f,   2.0f,     3.0f,      -3.0f, 0.5f,
                              -2.5f, 37.3f, 1e-3f, -0.017f, INFINITY, -INFINITY, NAN,   1e5f};
  for (const BinaryCase& c : cases) {
    double worst = 0;
    float at_x = 0, at_y = 0;
    const auto check = [&](const std::vector<float>& first, const std::vector<float>& second) {
      c.function(first.data(), second.data(), z.data(), z.size());
      for (size_t i = 0; i < z.size(); ++i) {
        const double error = ulp_error(z[i], c.exact(first[i], second[i]));
        if (error > worst) worst = error, at_x = first[i], at_y = second[i];
      }
    };
    for (float companion : companions) {
      std::fill(y.begin(), y.end(), companion);
      check(x, y);
      check(y, x);
    }
    // Ratios and exponents that leave ordinary results.
    for (size_t i = 0; i < x.size(); ++i) y[i] = 1.0f + 0.37f * static_cast<float>(i % 97) - 17.0f;
    check(x, y);
    std::vector<float> near(x.size());
    for (size_t i = 0; i < x.size(); ++i) near[i] = 0.01f + 0.00137f * static_cast<float>(i % 9973);
    check(near, y);
    check(y, near);
    EXPECT_LE(worst, c.max_ulp) << c.name << "(" << at_x << ", " << at_y << ")";
    RecordProperty(c.name, std::to_string(worst));
  }
}

}  // namespace
}  // namespace kernels
}  // namespace systolic
#endif  // HWY_ONCE
