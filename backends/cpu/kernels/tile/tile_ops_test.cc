// Every op of tile programs on every type, against the C library and integers of 128 bits.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/floating_point.h"

namespace systolic {
namespace {

using kernels::CompareDirection;
using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

template <class T>
std::vector<T> special_values();
template <>
std::vector<float> special_values() {
  return {0.0f,     -0.0f,     1.0f, -1.0f, 0.5f,   -0.5f,  1.5f, 2.5f,  -2.5f,      3.7f,
          INFINITY, -INFINITY, NAN,  1e30f, 1e-40f, -7.25f, 8.0f, 1e-3f, 0.49999997f};
}
template <>
std::vector<double> special_values() {
  return {0.0,  -0.0, 1.0,      -1.0,      0.5, -0.5,  1.5, 2.5,
          -2.5, 3.7,  INFINITY, -INFINITY, NAN, 1e300, 7.25};
}

// Integers: small ones, the extremes, and their neighbours.
template <class T>
std::vector<T> integer_values() {
  using Limits = std::numeric_limits<T>;
  return {T(0),
          T(1),
          T(2),
          T(3),
          T(7),
          T(31),
          T(33),
          T(100),
          T(-1),
          T(-2),
          T(-7),
          Limits::min(),
          Limits::max(),
          T(Limits::max() - 1),
          T(Limits::min() + 1)};
}

// All pairs of the values, and the same with the roles exchanged.
template <class T>
void all_pairs(const std::vector<T>& values, std::vector<T>& a, std::vector<T>& b) {
  for (T x : values) {
    for (T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
  }
}

template <class T>
bool same(T got, T wanted) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(wanted)) return std::isnan(got);
    if (got == wanted) return true;
    if (std::isinf(wanted) || std::isinf(got)) return false;
    const double limit = std::is_same_v<T, float> ? 6e-7 : 1e-14;
    return std::fabs(double(got) - double(wanted)) <= limit * std::fabs(double(wanted)) + 1e-44;
  } else {
    return got == wanted;
  }
}

template <class T>
std::vector<T> run_op(TileOp op, const std::vector<std::vector<T>>& operands) {
  const int64_t count = static_cast<int64_t>(operands[0].size());
  TileProgramBuilder builder({count});
  std::vector<int> values;
  std::vector<const void*> inputs;
  for (const std::vector<T>& operand : operands) {
    values.push_back(builder.input(dtype_of<T>));
    inputs.push_back(operand.data());
  }
  builder.output(builder.op(op, values), dtype_of<T>);
  std::vector<T> result(operands[0].size());
  void* outputs[] = {result.data()};
  builder.build().run(inputs, outputs, pool());
  return result;
}

template <class T>
struct BinaryCase {
  const char* name;
  TileOp op;
  std::function<T(T, T)> wanted;
};

template <class T>
void check_binary(const std::vector<T>& values, const std::vector<BinaryCase<T>>& cases) {
  std::vector<T> a, b;
  all_pairs(values, a, b);
  for (const BinaryCase<T>& c : cases) {
    const std::vector<T> got = run_op<T>(c.op, {a, b});
    for (size_t i = 0; i < a.size(); ++i) {
      const T wanted = c.wanted(a[i], b[i]);
      EXPECT_TRUE(same(got[i], wanted))
          << c.name << "(" << +a[i] << ", " << +b[i] << ") = " << +got[i] << ", wanted " << +wanted
          << " on " << to_string(dtype_of<T>);
    }
  }
}

template <class T>
std::vector<BinaryCase<T>> float_binary_cases() {
  return {
      {"add", TileOp::add, [](T a, T b) { return a + b; }},
      {"subtract", TileOp::subtract, [](T a, T b) { return a - b; }},
      {"multiply", TileOp::multiply, [](T a, T b) { return a * b; }},
      {"divide", TileOp::divide, [](T a, T b) { return a / b; }},
      {"remainder", TileOp::remainder, [](T a, T b) { return std::fmod(a, b); }},
      {"power", TileOp::power, [](T a, T b) { return std::pow(a, b); }},
      {"atan2", TileOp::atan2, [](T a, T b) { return std::atan2(a, b); }},
      {"maximum", TileOp::maximum,
       [](T a, T b) { return std::isnan(a) || std::isnan(b) ? T(NAN) : std::max(a, b); }},
      {"minimum", TileOp::minimum,
       [](T a, T b) { return std::isnan(a) || std::isnan(b) ? T(NAN) : std::min(a, b); }},
  };
}

TEST(TileOps, FloatBinaryOpsMatchTheCLibrary) {
  check_binary(special_values<float>(), float_binary_cases<float>());
  check_binary(special_values<double>(), float_binary_cases<double>());
}

template <class T>
void check_float_unary() {
  struct Case {
    const char* name;
    TileOp op;
    std::function<double(double)> wanted;
  };
  const Case cases[] = {
      {"abs", TileOp::abs, [](double x) { return std::fabs(x); }},
      {"cbrt", TileOp::cbrt, [](double x) { return std::cbrt(x); }},
      {"ceil", TileOp::ceil, [](double x) { return std::ceil(x); }},
      {"floor", TileOp::floor, [](double x) { return std::floor(x); }},
      {"cosine", TileOp::cosine, [](double x) { return std::cos(x); }},
      {"sine", TileOp::sine, [](double x) { return std::sin(x); }},
      {"tan", TileOp::tan, [](double x) { return std::tan(x); }},
      {"tanh", TileOp::tanh, [](double x) { return std::tanh(x); }},
      {"erf", TileOp::erf, [](double x) { return std::erf(x); }},
      {"exponential", TileOp::exponential, [](double x) { return std::exp(x); }},
      {"expm1", TileOp::exponential_minus_one, [](double x) { return std::expm1(x); }},
      {"log", TileOp::log, [](double x) { return std::log(x); }},
      {"log1p", TileOp::log_plus_one, [](double x) { return std::log1p(x); }},
      {"logistic", TileOp::logistic, [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"negate", TileOp::negate, [](double x) { return -x; }},
      {"rsqrt", TileOp::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
      {"sqrt", TileOp::sqrt, [](double x) { return std::sqrt(x); }},
      {"round_nearest_even", TileOp::round_nearest_even,
       [](double x) { return std::nearbyint(x); }},
      {"round_nearest_afz", TileOp::round_nearest_afz, [](double x) { return std::round(x); }},
      {"sign", TileOp::sign,
       [](double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }},
  };
  std::vector<T> x = special_values<T>();
  for (int i = -500; i < 500; ++i) x.push_back(static_cast<T>(i) * static_cast<T>(0.037));
  for (const Case& c : cases) {
    const std::vector<T> got = run_op<T>(c.op, {x});
    for (size_t i = 0; i < x.size(); ++i) {
      const T wanted = static_cast<T>(c.wanted(x[i]));
      EXPECT_TRUE(same(got[i], wanted)) << c.name << "(" << x[i] << ") = " << got[i] << ", wanted "
                                        << wanted << " on " << to_string(dtype_of<T>);
      if (wanted == 0) {
        EXPECT_EQ(std::signbit(got[i]), std::signbit(wanted)) << c.name << "(" << x[i] << ")";
      }
    }
  }
}

TEST(TileOps, FloatUnaryOpsMatchTheCLibrary) {
  check_float_unary<float>();
  check_float_unary<double>();
}

// Integer arithmetic in 128 bits, cut to the type.
template <class T>
void check_integers() {
  using Wide = __int128;
  using Unsigned = unsigned __int128;  // for products, which may wrap around
  constexpr int bits = sizeof(T) * 8;
  const auto unsigned_of = [](T a) { return static_cast<Wide>(std::make_unsigned_t<T>(a)); };
  const auto amount_fits = [=](T b) { return unsigned_of(b) < bits; };
  check_binary<T>(
      integer_values<T>(),
      {
          {"add", TileOp::add, [](T a, T b) { return T(Wide(a) + Wide(b)); }},
          {"subtract", TileOp::subtract, [](T a, T b) { return T(Wide(a) - Wide(b)); }},
          {"multiply", TileOp::multiply, [](T a, T b) { return T(Unsigned(a) * Unsigned(b)); }},
          {"divide", TileOp::divide,
           [](T a, T b) { return b == 0 ? T(-1) : T(Wide(a) / Wide(b)); }},
          {"remainder", TileOp::remainder,
           [](T a, T b) { return b == 0 ? a : T(Wide(a) % Wide(b)); }},
          {"maximum", TileOp::maximum, [](T a, T b) { return std::max(a, b); }},
          {"minimum", TileOp::minimum, [](T a, T b) { return std::min(a, b); }},
          {"and", TileOp::and_, [](T a, T b) { return T(a & b); }},
          {"or", TileOp::or_, [](T a, T b) { return T(a | b); }},
          {"xor", TileOp::xor_, [](T a, T b) { return T(a ^ b); }},
          {"shift_left", TileOp::shift_left,
           [=](T a, T b) { return amount_fits(b) ? T(unsigned_of(a) << int(b)) : T(0); }},
          {"shift_right_logical", TileOp::shift_right_logical,
           [=](T a, T b) { return amount_fits(b) ? T(unsigned_of(a) >> int(b)) : T(0); }},
          {"shift_right_arithmetic", TileOp::shift_right_arithmetic,
           [=](T a, T b) {
             const auto value = static_cast<std::make_signed_t<T>>(a);
             return amount_fits(b) ? T(Wide(value) >> int(b)) : T(value < 0 ? -1 : 0);
           }},
      });
  const std::vector<T> x = integer_values<T>();
  const auto unary = [&](TileOp op, std::function<T(T)> wanted) {
    const std::vector<T> got = run_op<T>(op, {x});
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(got[i], wanted(x[i])) << +x[i];
  };
  unary(TileOp::not_, [](T a) { return T(~a); });
  unary(TileOp::negate, [](T a) { return T(-Wide(a)); });
  unary(TileOp::abs, [](T a) { return T(a < 0 ? -Wide(a) : Wide(a)); });
  unary(TileOp::sign, [](T a) { return T(a < 0 ? -1 : a > 0); });
  unary(TileOp::popcnt, [=](T a) {
    int ones = 0;
    for (int k = 0; k < bits; ++k) ones += static_cast<int>((unsigned_of(a) >> k) & 1);
    return T(ones);
  });
  unary(TileOp::count_leading_zeros, [=](T a) {
    int zeros = 0;
    while (zeros < bits && ((unsigned_of(a) >> (bits - 1 - zeros)) & 1) == 0) ++zeros;
    return T(zeros);
  });
}

TEST(TileOps, IntegerOpsWrapAndFollowXla) {
  check_integers<int8_t>();
  check_integers<int16_t>();
  check_integers<int32_t>();
  check_integers<int64_t>();
  check_integers<uint8_t>();
  check_integers<uint16_t>();
  check_integers<uint32_t>();
  check_integers<uint64_t>();
}

TEST(TileOps, IntegerPower) {
  EXPECT_EQ(
      run_op<int32_t>(TileOp::power, {{3, -2, 7, 1, -1, -1, 5, 2}, {4, 3, 0, -5, -3, -4, -1, 31}}),
      (std::vector<int32_t>{81, -8, 1, 1, -1, 1, 0, std::numeric_limits<int32_t>::min()}));
}

// Also while they count as 0 in sums and products: what is above 0 rounds up to 1.
template <class T>
void check_subnormals() {
  const FlushSubnormals flush;
  const T least = std::numeric_limits<T>::denorm_min();
  const T most = std::nextafter(std::numeric_limits<T>::min(), T(0));
  const std::vector<T> x{least, -least, most, -most, 0, std::numeric_limits<T>::min()};
  EXPECT_EQ(run_op<T>(TileOp::ceil, {x}), (std::vector<T>{1, 0, 1, 0, 0, 1}));
  EXPECT_EQ(run_op<T>(TileOp::floor, {x}), (std::vector<T>{0, -1, 0, -1, 0, 0}));
  EXPECT_EQ(run_op<T>(TileOp::sign, {x}), (std::vector<T>{1, -1, 1, -1, 0, 1}));
}

TEST(TileOps, SubnormalsAreAboveOrBelowZero) {
  check_subnormals<float>();
  check_subnormals<double>();
}

template <class T>
void check_compare(const std::vector<T>& values) {
  std::vector<T> a, b;
  all_pairs(values, a, b);
  const std::function<bool(T, T)> wanted[] = {
      [](T x, T y) { return x == y; }, [](T x, T y) { return x != y; },
      [](T x, T y) { return x >= y; }, [](T x, T y) { return x > y; },
      [](T x, T y) { return x <= y; }, [](T x, T y) { return x < y; }};
  for (int direction = 0; direction < 6; ++direction) {
    TileProgramBuilder builder({static_cast<int64_t>(a.size())});
    const int x = builder.input(dtype_of<T>), y = builder.input(dtype_of<T>);
    const int less = builder.compare(static_cast<CompareDirection>(direction), x, y);
    builder.output(less, DType::pred);
    builder.output(builder.op(TileOp::select, {less, x, y}), dtype_of<T>);
    std::vector<uint8_t> got(a.size(), 9);
    std::vector<T> selected(a.size());
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {got.data(), selected.data()};
    builder.build().run(inputs, outputs, pool());
    for (size_t i = 0; i < a.size(); ++i) {
      const bool answer = wanted[direction](a[i], b[i]);
      EXPECT_EQ(got[i], answer) << direction << ": " << +a[i] << ", " << +b[i];
      EXPECT_TRUE(same(selected[i], answer ? a[i] : b[i])) << direction;
    }
  }
}

TEST(TileOps, CompareAndSelect) {
  check_compare(special_values<float>());
  check_compare(special_values<double>());
  check_compare(integer_values<int8_t>());
  check_compare(integer_values<int32_t>());
  check_compare(integer_values<uint32_t>());
  check_compare(integer_values<uint64_t>());
}

TEST(TileOps, TotalOrderPutsNegativeNanFirst) {
  const std::vector<float> sorted = {-NAN, -INFINITY, -1.0f, -0.0f, 0.0f, 1.0f, INFINITY, NAN};
  std::vector<float> a, b;
  all_pairs(sorted, a, b);
  TileProgramBuilder builder({static_cast<int64_t>(a.size())});
  const int x = builder.input(DType::f32), y = builder.input(DType::f32);
  builder.output(builder.compare(CompareDirection::lt, x, y, true), DType::pred);
  std::vector<uint8_t> got(a.size());
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {got.data()};
  builder.build().run(inputs, outputs, pool());
  for (size_t i = 0; i < sorted.size(); ++i) {
    for (size_t j = 0; j < sorted.size(); ++j) EXPECT_EQ(got[i * 8 + j], i < j) << i << " " << j;
  }
}

TEST(TileOps, PredIsLogical) {
  using Bytes = std::vector<uint8_t>;
  const Bytes a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  const auto run = [&](TileOp op, int operands) {
    TileProgramBuilder builder({4});
    std::vector<int> values = {builder.input(DType::pred), builder.input(DType::pred)};
    values.resize(static_cast<size_t>(operands));
    builder.output(builder.op(op, values), DType::pred);
    Bytes result(4);
    const void* inputs[] = {a.data(), b.data()};
    void* outputs[] = {result.data()};
    builder.build().run(inputs, outputs, pool());
    return result;
  };
  EXPECT_EQ(run(TileOp::and_, 2), (Bytes{0, 0, 0, 1}));
  EXPECT_EQ(run(TileOp::or_, 2), (Bytes{0, 1, 1, 1}));
  EXPECT_EQ(run(TileOp::xor_, 2), (Bytes{0, 1, 1, 0}));
  EXPECT_EQ(run(TileOp::not_, 1), (Bytes{1, 1, 0, 0}));
}

template <class From, class To>
std::vector<To> run_convert(const std::vector<From>& x) {
  TileProgramBuilder builder({static_cast<int64_t>(x.size())});
  const int value = builder.input(dtype_of<From>);
  builder.output(builder.convert(value, dtype_of<To>), dtype_of<To>);
  std::vector<To> result(x.size());
  const void* inputs[] = {x.data()};
  void* outputs[] = {result.data()};
  builder.build().run(inputs, outputs, pool());
  return result;
}

TEST(TileOps, ConvertTruncatesAndSaturates) {
  const std::vector<float> x = {1.9f,     -1.9f,     1e20f,  -1e20f, NAN,
                                INFINITY, -INFINITY, 300.0f, -0.5f};
  EXPECT_EQ((run_convert<float, int32_t>(x)),
            (std::vector<int32_t>{1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, INT32_MIN, 300, 0}));
  EXPECT_EQ((run_convert<float, uint8_t>(x)),
            (std::vector<uint8_t>{1, 0, 255, 0, 0, 255, 0, 255, 0}));
  EXPECT_EQ((run_convert<float, int64_t>(x)),
            (std::vector<int64_t>{1, -1, INT64_MAX, INT64_MIN, 0, INT64_MAX, INT64_MIN, 300, 0}));
  EXPECT_EQ((run_convert<int32_t, int8_t>({300, -300, 127})), (std::vector<int8_t>{44, -44, 127}));
  EXPECT_EQ((run_convert<int32_t, float>({7, -3})), (std::vector<float>{7, -3}));
}

template <class T>
void check_small_float(const std::vector<float>& x) {
  const std::vector<T> narrow = run_convert<float, T>(x);
  const std::vector<float> wide = run_convert<T, float>(narrow);
  for (size_t i = 0; i < x.size(); ++i) {
    const T wanted(x[i]);
    if (std::isnan(static_cast<float>(wanted))) {
      EXPECT_TRUE(std::isnan(wide[i])) << x[i];
    } else {
      EXPECT_EQ(narrow[i].bits, wanted.bits) << to_string(dtype_of<T>) << " " << x[i];
      EXPECT_EQ(wide[i], static_cast<float>(wanted)) << to_string(dtype_of<T>) << " " << x[i];
    }
  }
}

TEST(TileOps, SmallFloatsAreRoundedOnceToNearest) {
  std::vector<float> x = special_values<float>();
  for (uint32_t bits = 0; bits < 0x7f800000u; bits += 0x31235u) {
    x.push_back(std::bit_cast<float>(bits));
    x.push_back(-std::bit_cast<float>(bits));
  }
  check_small_float<bfloat16>(x);
  check_small_float<float16>(x);
  check_small_float<float8_e4m3fn>(x);
  check_small_float<float8_e5m2>(x);
}

TEST(TileOps, ReducePrecisionAndBitcast) {
  const std::vector<float> x = {1.0f, 1.00390625f, 1.01171875f, 3.4e38f, 65520.0f, 1e-6f, -1e-6f};
  TileProgramBuilder builder({7});
  const int value = builder.input(DType::f32);
  builder.output(builder.reduce_precision(value, 8, 7), DType::f32);
  builder.output(builder.reduce_precision(value, 5, 10), DType::f32);
  builder.output(builder.bitcast(value, DType::u32), DType::u32);
  std::vector<float> brain(7), half(7);
  std::vector<uint32_t> bits(7);
  const void* inputs[] = {x.data()};
  void* outputs[] = {brain.data(), half.data(), bits.data()};
  builder.build().run(inputs, outputs, pool());
  EXPECT_EQ(brain, (std::vector<float>{1.0f, 1.0f, 1.015625f, INFINITY, 65536.0f,
                                       static_cast<float>(bfloat16(1e-6f)),
                                       static_cast<float>(bfloat16(-1e-6f))}));
  EXPECT_EQ(half,
            (std::vector<float>{1.0f, 1.00390625f, 1.01171875f, INFINITY, INFINITY, 0.0f, -0.0f}));
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(bits[i], std::bit_cast<uint32_t>(x[i]));
}

}  // namespace
}  // namespace systolic
