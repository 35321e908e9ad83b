// Tile programs against plain loops: every op on every type, every way of reading an array,
// aliasing, threads. long because: they share the plain loops.
#include "backends/cpu/kernels/tile_program.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using kernels::CompareDirection;
using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

ThreadPool& pool() {
  static ThreadPool two(2);
  return two;
}

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

TEST(TileProgram, FloatBinaryOpsMatchTheCLibrary) {
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

TEST(TileProgram, FloatUnaryOpsMatchTheCLibrary) {
  check_float_unary<float>();
  check_float_unary<double>();
}

// Integer arithmetic in 128 bits, cut to the type.
template <class T>
void check_integers() {
  using Wide = __int128;
  constexpr int bits = sizeof(T) * 8;
  const auto unsigned_of = [](T a) { return static_cast<Wide>(std::make_unsigned_t<T>(a)); };
  const auto amount_fits = [=](T b) { return unsigned_of(b) < bits; };
  check_binary<T>(
      integer_values<T>(),
      {
          {"add", TileOp::add, [](T a, T b) { return T(Wide(a) + Wide(b)); }},
          {"subtract", TileOp::subtract, [](T a, T b) { return T(Wide(a) - Wide(b)); }},
          {"multiply", TileOp::multiply, [](T a, T b) { return T(Wide(a) * Wide(b)); }},
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

TEST(TileProgram, IntegerOpsWrapAndFollowXla) {
  check_integers<int8_t>();
  check_integers<int16_t>();
  check_integers<int32_t>();
  check_integers<int64_t>();
  check_integers<uint8_t>();
  check_integers<uint16_t>();
  check_integers<uint32_t>();
  check_integers<uint64_t>();
}

TEST(TileProgram, IntegerPower) {
  EXPECT_EQ(
      run_op<int32_t>(TileOp::power, {{3, -2, 7, 1, -1, -1, 5, 2}, {4, 3, 0, -5, -3, -4, -1, 31}}),
      (std::vector<int32_t>{81, -8, 1, 1, -1, 1, 0, std::numeric_limits<int32_t>::min()}));
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

TEST(TileProgram, CompareAndSelect) {
  check_compare(special_values<float>());
  check_compare(special_values<double>());
  check_compare(integer_values<int8_t>());
  check_compare(integer_values<int32_t>());
  check_compare(integer_values<uint32_t>());
  check_compare(integer_values<uint64_t>());
}

TEST(TileProgram, TotalOrderPutsNegativeNanFirst) {
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

TEST(TileProgram, PredIsLogical) {
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

TEST(TileProgram, ConvertTruncatesAndSaturates) {
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

TEST(TileProgram, SmallFloatsAreRoundedOnceToNearest) {
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

TEST(TileProgram, ReducePrecisionAndBitcast) {
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

// Reads an array of `dims` through strides, against index arithmetic.
struct ReadCase {
  std::vector<int64_t> dims, strides;
  int64_t offset;
  int64_t array_size;
};

template <class T>
void check_read(const ReadCase& c) {
  std::vector<T> array(static_cast<size_t>(c.array_size));
  for (size_t i = 0; i < array.size(); ++i) array[i] = static_cast<T>(static_cast<float>(i % 113));
  TileProgramBuilder builder(c.dims);
  const int x = builder.input(dtype_of<T>, c.strides, c.offset);
  builder.output(x, DType::f64);
  const TileProgram program = builder.build();
  std::vector<double> got(static_cast<size_t>(program.elements()));
  const void* inputs[] = {array.data()};
  void* outputs[] = {got.data()};
  program.run(inputs, outputs, pool());
  for (int64_t position = 0; position < program.elements(); ++position) {
    int64_t rest = position, index = c.offset;
    for (size_t k = c.dims.size(); k-- > 0;) {
      index += rest % c.dims[k] * c.strides[k];
      rest /= c.dims[k];
    }
    ASSERT_EQ(got[position], static_cast<double>(static_cast<float>(array[index])))
        << "position " << position << " of " << to_string(dtype_of<T>);
  }
}

TEST(TileProgram, ReadsArraysThroughStrides) {
  const ReadCase cases[] = {
      {{}, {}, 3, 4},                                         // scalar
      {{1000}, {0}, 1, 2},                                    // scalar, repeated
      {{700}, {1}, 2, 702},                                   // contiguous
      {{700}, {-1}, 699, 700},                                // reversed
      {{300, 10}, {0, 1}, 0, 10},                             // short rows repeated
      {{30, 256}, {0, 1}, 1, 257},                            // a tile long
      {{7, 1000}, {0, 1}, 0, 1000},                           // longer than a tile
      {{500, 7}, {1, 0}, 0, 500},                             // a value a row
      {{3, 2000}, {1, 0}, 0, 3},                              // a value a long row
      {{40, 50}, {1, 40}, 0, 2000},                           // transposed
      {{4, 5, 6, 7}, {0, 7, 0, 1}, 0, 35},                    // broadcast along two axes
      {{4, 1, 6, 7}, {42, 99, 7, 1}, 0, 168},                 // an axis of one
      {{6, 5, 4, 3, 2, 3}, {1, 6, 30, 120, 360, 0}, 0, 720},  // six axes
      {{100, 100}, {300, 3}, 5, 30005},                       // every third
      {{20000}, {1}, 0, 20000},                               // more than one thread
      {{200, 100}, {0, 1}, 0, 100},
      {{0, 5}, {5, 1}, 0, 1},  // nothing
  };
  for (const ReadCase& c : cases) {
    check_read<float>(c);
    check_read<bfloat16>(c);
    check_read<float16>(c);
    check_read<int64_t>(c);
    check_read<uint8_t>(c);
    check_read<int16_t>(c);
    check_read<float8_e5m2>(c);
  }
}

// Rows that stay in their slots while others come and go, at every tile size.
TEST(TileProgram, RepeatedRowsAmongManyValues) {
  for (int64_t columns : {1, 8, 64, 100, 128, 256, 300, 512, 1000}) {
    for (int live : {1, 40, 120}) {
      const int64_t rows = 3000 / columns + 2, count = rows * columns;
      TileProgramBuilder builder({rows, columns});
      const int x = builder.input(DType::f32);
      std::vector<int> values;
      for (int k = 0; k < live; ++k) {
        values.push_back(builder.op(TileOp::multiply, {x, builder.constant(DType::f32, k + 1)}));
      }
      int sum = builder.constant(DType::f32, 0);
      for (int value : values) {
        sum = builder.op(TileOp::maximum, {sum, builder.op(TileOp::abs, {value})});
      }
      const int row = builder.input(DType::f32, {0, 1}, 2);
      const int brain = builder.input(DType::bf16, {0, 1});
      sum = builder.op(TileOp::add, {builder.op(TileOp::add, {sum, row}), brain});
      builder.output(sum, DType::f32);
      const std::vector<float> a = converted<float>(test_values(count, 1));
      const std::vector<float> b = converted<float>(test_values(columns + 2, 2));
      const std::vector<bfloat16> c = converted<bfloat16>(test_values(columns, 3));
      std::vector<float> got(static_cast<size_t>(count));
      const void* inputs[] = {a.data(), b.data(), c.data()};
      void* outputs[] = {got.data()};
      builder.build().run(inputs, outputs, pool());
      for (int64_t i = 0; i < count; ++i) {
        const float largest = std::fabs(a[i]) * static_cast<float>(live);
        const float wanted = largest + b[i % columns + 2] + static_cast<float>(c[i % columns]);
        ASSERT_NEAR(got[i], wanted, 1e-4) << columns << " columns at " << i;
      }
    }
  }
}

TEST(TileProgram, WritesThroughStridesAndOffsets) {
  const std::vector<float> x = converted<float>(test_values(600, 1));
  std::vector<float> got(1300, -7.0f), wanted = got;
  TileProgramBuilder builder({20, 30});
  builder.output(builder.op(TileOp::negate, {builder.input(DType::f32)}), DType::f32,
                 std::vector<int64_t>{60, 2}, 1);
  const void* inputs[] = {x.data()};
  void* outputs[] = {got.data()};
  builder.build().run(inputs, outputs, pool());
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 30; ++j) wanted[1 + i * 60 + j * 2] = -x[i * 30 + j];
  }
  EXPECT_EQ(got, wanted);
}

TEST(TileProgram, Iota) {
  TileProgramBuilder builder({7, 50, 3});
  builder.output(builder.iota(DType::i32, 0), DType::i32);
  builder.output(builder.iota(DType::i64, 1), DType::i64);
  builder.output(builder.iota(DType::f32, 2), DType::f32);
  std::vector<int32_t> a(1050);
  std::vector<int64_t> b(1050);
  std::vector<float> c(1050);
  void* outputs[] = {a.data(), b.data(), c.data()};
  builder.build().run({}, outputs, pool());
  for (int i = 0; i < 1050; ++i) {
    EXPECT_EQ(a[i], i / 150);
    EXPECT_EQ(b[i], i / 3 % 50);
    EXPECT_EQ(c[i], static_cast<float>(i % 3));
  }
}

// Adam as a user's graph states it: x, m, v, g -> x', m', v'.
void build_adam(TileProgramBuilder& builder) {
  const auto op = [&](TileOp o, std::initializer_list<int> operands) {
    return builder.op(o, operands);
  };
  const int p = builder.input(DType::f32), m = builder.input(DType::f32),
            v = builder.input(DType::f32), g = builder.input(DType::f32);
  const int c1 = builder.constant(DType::f32, 0.1), c2 = builder.constant(DType::f32, 0.001);
  const int alpha = builder.input(DType::f32, {0});
  const int epsilon = builder.constant(DType::f32, 1e-7);
  const int new_m = op(TileOp::add, {m, op(TileOp::multiply, {op(TileOp::subtract, {g, m}), c1})});
  const int square = op(TileOp::multiply, {g, g});
  const int new_v =
      op(TileOp::add, {v, op(TileOp::multiply, {op(TileOp::subtract, {square, v}), c2})});
  const int step = op(TileOp::divide, {op(TileOp::multiply, {new_m, alpha}),
                                       op(TileOp::add, {op(TileOp::sqrt, {new_v}), epsilon})});
  builder.output(op(TileOp::subtract, {p, step}), DType::f32);
  builder.output(new_m, DType::f32);
  builder.output(new_v, DType::f32);
}

TEST(TileProgram, AdamBecomesFourInstructionsAndRunsInPlace) {
  for (int64_t count : {5, 256, 1000, 70001}) {
    TileProgramBuilder builder({count});
    build_adam(builder);
    const TileProgram program = builder.build();
    EXPECT_EQ(program.instructions(), 4) << program.text();
    std::vector<float> p = converted<float>(test_values(count, 1)),
                       m = converted<float>(test_values(count, 2)),
                       v = converted<float>(test_values(count, 3)),
                       g = converted<float>(test_values(count, 4));
    for (float& x : v) x = std::fabs(x);
    std::vector<double> wanted_p(count), wanted_m(count), wanted_v(count);
    const float alpha = 0.01f;
    for (int64_t i = 0; i < count; ++i) {
      wanted_m[i] = m[i] + (double(g[i]) - m[i]) * 0.1;
      wanted_v[i] = v[i] + (double(g[i]) * g[i] - v[i]) * 0.001;
      wanted_p[i] = p[i] - wanted_m[i] * alpha / (std::sqrt(wanted_v[i]) + 1e-7);
    }
    const void* inputs[] = {p.data(), m.data(), v.data(), g.data(), &alpha};
    void* outputs[] = {p.data(), m.data(), v.data()};
    program.run(inputs, outputs, pool());
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_NEAR(p[i], wanted_p[i], 3e-7) << i;
      EXPECT_NEAR(m[i], wanted_m[i], 1e-7) << i;
      EXPECT_NEAR(v[i], wanted_v[i], 1e-7) << i;
    }
  }
}

TEST(TileProgram, AnOutputMayOverwriteAnInputThatIsReadLater) {
  const int64_t count = 1000;
  std::vector<float> a = converted<float>(test_values(count, 1)),
                     b = converted<float>(test_values(count, 2));
  const std::vector<float> old_a = a, old_b = b;
  TileProgramBuilder builder({count});
  const int x = builder.input(DType::f32), y = builder.input(DType::f32);
  const int sum = builder.op(TileOp::add, {x, y});
  const int late = builder.op(TileOp::maximum, {builder.op(TileOp::sine, {sum}), x});
  builder.output(sum, DType::f32);   // into a
  builder.output(late, DType::f32);  // into b
  std::vector<float> copy(count);
  builder.output(x, DType::f32);  // the old a
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {a.data(), b.data(), copy.data()};
  builder.build().run(inputs, outputs, pool());
  for (int64_t i = 0; i < count; ++i) {
    ASSERT_EQ(a[i], old_a[i] + old_b[i]);
    ASSERT_NEAR(b[i], std::max(std::sin(old_a[i] + old_b[i]), old_a[i]), 1e-6);
    ASSERT_EQ(copy[i], old_a[i]);
  }
}

TEST(TileProgram, TwoDonatedArraysCanBeExchanged) {
  std::vector<float> a(600, 1.0f), b(600, 2.0f);
  TileProgramBuilder builder({600});
  const int x = builder.input(DType::f32), y = builder.input(DType::f32);
  builder.output(y, DType::f32);
  builder.output(x, DType::f32);
  const void* inputs[] = {a.data(), b.data()};
  void* outputs[] = {a.data(), b.data()};
  builder.build().run(inputs, outputs, pool());
  EXPECT_EQ(a, std::vector<float>(600, 2.0f));
  EXPECT_EQ(b, std::vector<float>(600, 1.0f));
}

// Every merge of the peephole gives what its parts give: f(a, b, c, d) in double.
TEST(TileProgram, MergedInstructionsComputeWhatTheirPartsDo) {
  struct Case {
    const char* text;  // the merged instruction
    std::function<int(TileProgramBuilder&, int, int, int, int)> build;
    std::function<double(double, double, double, double)> wanted;
  };
  using B = TileProgramBuilder;
  using D = double;
  const auto two = [](TileOp inner, TileOp outer, bool left) {
    return [=](B& b, int x, int y, int z, int) {
      const int value = b.op(inner, {x, y});
      return left ? b.op(outer, {value, z}) : b.op(outer, {z, value});
    };
  };
  using T = TileOp;
  const Case cases[] = {
      {"multiply_add", two(T::multiply, T::add, true), [](D a, D b, D c, D) { return a * b + c; }},
      {"multiply_add", two(T::multiply, T::add, false), [](D a, D b, D c, D) { return a * b + c; }},
      {"multiply_subtract ", two(T::multiply, T::subtract, true),
       [](D a, D b, D c, D) { return a * b - c; }},
      {"multiply_subtract_from", two(T::multiply, T::subtract, false),
       [](D a, D b, D c, D) { return c - a * b; }},
      {"add_multiply", two(T::add, T::multiply, false),
       [](D a, D b, D c, D) { return (a + b) * c; }},
      {"add_maximum", two(T::add, T::maximum, true),
       [](D a, D b, D c, D) { return std::max(a + b, c); }},
      {"add_minimum", two(T::add, T::minimum, true),
       [](D a, D b, D c, D) { return std::min(a + b, c); }},
      {"subtract_divide ", two(T::subtract, T::divide, true),
       [](D a, D b, D c, D) { return (a - b) / c; }},
      {"subtract_divide_into", two(T::subtract, T::divide, false),
       [](D a, D b, D c, D) { return c / (a - b); }},
      {"divide_subtract_from", two(T::divide, T::subtract, false),
       [](D a, D b, D c, D) { return c - a / b; }},
      {"subtract_multiply_divide",
       [](B& b, int x, int y, int z, int w) {
         return b.op(T::subtract, {x, b.op(T::divide, {b.op(T::multiply, {y, z}), w})});
       },
       [](D a, D b, D c, D d) { return a - b * c / d; }},
      {"lerp",
       [](B& b, int x, int y, int z, int) {
         return b.op(T::add, {b.op(T::multiply, {z, b.op(T::subtract, {y, x})}), x});
       },
       [](D a, D b, D c, D) { return a + (b - a) * c; }},
      {"square_lerp",
       [](B& b, int x, int y, int z, int) {
         const int square = b.op(T::power, {y, b.constant(DType::f32, 2.0)});
         return b.op(T::add, {x, b.op(T::multiply, {b.op(T::subtract, {square, x}), z})});
       },
       [](D a, D b, D c, D) { return a + (b * b - a) * c; }},
      {"compare_select_gt",
       [](B& b, int x, int y, int z, int w) {
         return b.op(T::select, {b.compare(CompareDirection::gt, x, y), z, w});
       },
       [](D a, D b, D c, D d) { return a > b ? c : d; }},
      {"sqrt_add",
       [](B& b, int x, int y, int, int) {
         return b.op(T::add, {y, b.op(T::sqrt, {b.op(T::abs, {x})})});
       },
       [](D a, D b, D, D) { return std::sqrt(std::fabs(a)) + b; }},
      {"multiply_erf",
       [](B& b, int x, int y, int, int) {
         return b.op(T::erf, {b.op(T::multiply, {x, y})});
       },
       [](D a, D b, D, D) { return std::erf(a * b); }},
      {"square",
       [](B& b, int x, int, int, int) {
         return b.op(T::power, {x, b.constant(DType::f32, 2.0)});
       },
       [](D a, D, D, D) { return a * a; }},
      {"multiply_multiply",
       [](B& b, int x, int, int, int) {
         return b.op(T::power, {x, b.constant(DType::f32, 3.0)});
       },
       [](D a, D, D, D) { return a * a * a; }},
  };
  const int64_t count = 333;
  std::vector<std::vector<float>> arrays;
  for (uint32_t k = 0; k < 4; ++k) arrays.push_back(converted<float>(test_values(count, k + 10)));
  for (const Case& c : cases) {
    TileProgramBuilder builder({count});
    int values[4];
    for (int& value : values) value = builder.input(DType::f32);
    builder.output(c.build(builder, values[0], values[1], values[2], values[3]), DType::f32);
    const TileProgram program = builder.build();
    EXPECT_NE(program.text().find(c.text), std::string::npos) << c.text << "\n" << program.text();
    std::vector<float> got(count);
    const void* inputs[] = {arrays[0].data(), arrays[1].data(), arrays[2].data(), arrays[3].data()};
    void* outputs[] = {got.data()};
    program.run(inputs, outputs, pool());
    for (int64_t i = 0; i < count; ++i) {
      const double wanted = c.wanted(arrays[0][i], arrays[1][i], arrays[2][i], arrays[3][i]);
      ASSERT_NEAR(got[i], wanted, 4e-7 * (1 + std::fabs(wanted))) << c.text << " at " << i;
    }
  }
}

TEST(TileProgram, AValueWithTwoUsersIsNotAbsorbed) {
  TileProgramBuilder builder({4});
  const int x = builder.input(DType::f32), y = builder.input(DType::f32);
  const int product = builder.op(TileOp::multiply, {x, y});
  builder.output(builder.op(TileOp::add, {product, x}), DType::f32);
  builder.output(product, DType::f32);
  const TileProgram program = builder.build();
  EXPECT_EQ(program.instructions(), 2) << program.text();
}

TEST(TileProgram, RangesAreWrittenFromTheStartOfTheOutput) {
  const std::vector<float> x = converted<float>(test_values(1000, 1));
  TileProgramBuilder builder({1000});
  builder.output(builder.op(TileOp::negate, {builder.input(DType::f32)}), DType::f32);
  const TileProgram program = builder.build();
  std::vector<float> got(300);
  const void* inputs[] = {x.data()};
  void* outputs[] = {got.data()};
  program.run_range(123, 423, inputs, outputs);
  for (int i = 0; i < 300; ++i) ASSERT_EQ(got[i], -x[i + 123]);
}

TEST(TileProgram, ManyLiveValuesShortenTheTileAndTooManyAreAnError) {
  const auto build = [](int live) {
    TileProgramBuilder builder({1000});
    const int x = builder.input(DType::f32);
    std::vector<int> values;
    for (int k = 0; k < live; ++k) {
      values.push_back(builder.op(TileOp::multiply, {x, builder.constant(DType::f32, k + 1)}));
    }
    // Used in the order made, so that all are alive at once.
    int sum = values[0];
    for (int k = 1; k < live; ++k)
      sum = builder.op(TileOp::add, {builder.op(TileOp::sine, {values[k]}), sum});
    builder.output(sum, DType::f32);
    return builder.build();
  };
  const std::vector<float> x = converted<float>(test_values(1000, 1));
  for (int live : {3, 40, 120}) {
    std::vector<float> got(1000);
    const void* inputs[] = {x.data()};
    void* outputs[] = {got.data()};
    build(live).run(inputs, outputs, pool());
    for (size_t i = 0; i < x.size(); ++i) {
      double wanted = x[i];
      for (int k = 1; k < live; ++k) wanted += std::sin(double(x[i]) * (k + 1));
      ASSERT_NEAR(got[i], wanted, 1e-4) << live;
    }
  }
  EXPECT_THROW(build(400), ResourceExhausted);
}

TEST(TileProgram, WrongOperandsAreErrors) {
  TileProgramBuilder builder({4});
  const int x = builder.input(DType::f32), n = builder.input(DType::i32);
  EXPECT_THROW(builder.op(TileOp::add, {x, n}), InvalidArgument);
  EXPECT_THROW(builder.op(TileOp::add, {x}), InvalidArgument);
  EXPECT_THROW(builder.op(TileOp::select, {x, x, x}), InvalidArgument);
  EXPECT_THROW(builder.op(TileOp::tanh, {n}), InvalidArgument);
  EXPECT_THROW(builder.op(TileOp::and_, {x, x}), InvalidArgument);
  EXPECT_THROW(builder.op(TileOp::abs, {99}), InvalidArgument);
  EXPECT_THROW(builder.bitcast(x, DType::i64), InvalidArgument);
  EXPECT_THROW(builder.input(DType::c64), Unimplemented);
  EXPECT_THROW(TileProgramBuilder(std::vector<int64_t>(13, 1)), Unimplemented);
}

}  // namespace
}  // namespace systolic
