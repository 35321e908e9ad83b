// Reductions against index arithmetic in double and in 128-bit integers.
#include "backends/cpu/kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"
#include "systolic/core/convert.h"
#include "systolic/core/shape.h"

namespace systolic {
namespace {

using kernels::ReduceKind;
using kernels::Reduction;
using kernels::TileOp;
using kernels::TileProgramBuilder;
using Dims = std::vector<int64_t>;

struct ShapeCase {
  Dims dims, axes;
};

// Every kind of grouping, small and beyond the sizes at which work is cut.
const ShapeCase shapes[] = {
    {{}, {}},
    {{7}, {0}},
    {{7}, {}},
    {{1000}, {0}},
    {{100000}, {0}},
    {{5, 7}, {1}},
    {{5, 7}, {0}},
    {{5, 7}, {0, 1}},
    {{3000, 10}, {1}},
    {{3000, 10}, {0}},
    {{300, 257}, {0}},
    {{257, 300}, {1}},
    {{9, 5000}, {1}},
    {{9, 5000}, {0}},
    {{70000, 3}, {0}},
    {{20000, 1}, {1}},
    {{4, 6, 5, 7}, {1, 3}},
    {{4, 6, 5, 7}, {0, 2}},
    {{4, 6, 5, 7}, {0, 1, 2}},
    {{4, 6, 5, 7}, {2}},
    {{3, 64, 900}, {0, 2}},  // batch norm, channels second
    {{3, 900, 64}, {0, 1}},  // and last
    {{2, 1, 5, 1, 3}, {1, 2}},
    {{2, 3, 2, 3, 2, 3}, {0, 2, 4}},
    {{2, 3, 2, 3, 2, 3}, {1, 3, 5}},
};

ThreadPool& pool(int threads) {
  static ThreadPool one(1), three(3);
  return threads == 1 ? one : three;
}

// Where each input element goes, and how many outputs there are.
std::vector<int64_t> targets(const ShapeCase& c, int64_t& outputs) {
  std::vector<int64_t> result;
  Dims index(c.dims.size(), 0);
  const Shape shape(c.dims);
  outputs = 1;
  for (size_t k = 0; k < c.dims.size(); ++k) {
    if (std::find(c.axes.begin(), c.axes.end(), int64_t(k)) == c.axes.end()) outputs *= c.dims[k];
  }
  do {
    int64_t target = 0;
    for (size_t k = 0; k < c.dims.size(); ++k) {
      const bool reduced = std::find(c.axes.begin(), c.axes.end(), int64_t(k)) != c.axes.end();
      if (!reduced) target = target * c.dims[k] + index[k];
    }
    result.push_back(target);
  } while (next_index(shape, index));
  return result;
}

double combine(ReduceKind kind, double a, double b) {
  switch (kind) {
    case ReduceKind::sum:
      return a + b;
    case ReduceKind::product:
      return a * b;
    case ReduceKind::maximum:
      return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
    default:
      return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  }
}
double neutral(ReduceKind kind) {
  return kind == ReduceKind::sum       ? 0
         : kind == ReduceKind::product ? 1
                                       : (kind == ReduceKind::maximum ? -INFINITY : INFINITY);
}

template <class T>
std::vector<T> run(const Reduction& plan, const std::vector<T>& input, int threads,
                   const T* init = nullptr) {
  std::vector<T> output(static_cast<size_t>(plan.output_elements()));
  AlignedBytes scratch(plan.scratch_bytes());
  plan.run(input.data(), output.data(), scratch.data(), pool(threads), init);
  return output;
}

template <class T>
void check_floats(double relative) {
  for (ReduceKind kind :
       {ReduceKind::sum, ReduceKind::product, ReduceKind::maximum, ReduceKind::minimum}) {
    for (const ShapeCase& c : shapes) {
      int64_t outputs;
      const std::vector<int64_t> target = targets(c, outputs);
      std::vector<double> values = test_values(static_cast<int64_t>(target.size()), 3);
      if (kind == ReduceKind::product) {
        for (double& value : values) value = 1 + value * 0.01;
      }
      const std::vector<T> input = converted<T>(values);
      std::vector<double> wanted(static_cast<size_t>(outputs), neutral(kind)),
          size(wanted.size(), 0.0);
      for (size_t i = 0; i < input.size(); ++i) {
        const double value = static_cast<double>(input[i]);
        wanted[target[i]] = combine(kind, wanted[target[i]], value);
        size[target[i]] += std::fabs(value);
      }
      const Reduction plan(kind, dtype_of<T>, c.dims, c.axes);
      ASSERT_EQ(plan.output_elements(), outputs);
      const std::vector<T> got = run(plan, input, 1);
      const std::vector<T> threaded = run(plan, input, 3);
      for (int64_t k = 0; k < outputs; ++k) {
        const double scale = kind == ReduceKind::sum ? size[k] * 72 * 0x1p-24 : 0.0;
        ASSERT_NEAR(static_cast<double>(got[k]), wanted[k],
                    std::fabs(wanted[k]) * relative + (relative > 1e-10 ? scale : 1e-10))
            << int(kind) << " of " << to_string(dtype_of<T>) << " " << to_string(Shape(c.dims));
        ASSERT_EQ(static_cast<double>(got[k]), static_cast<double>(threaded[k])) << "threads";
      }
    }
  }
}

TEST(Reduction, FloatsOverAnyAxes) {
  check_floats<float>(0x1p-23);
  check_floats<double>(1e-12);
  check_floats<bfloat16>(0x1p-8);
  check_floats<float16>(0x1p-11);
}

template <class T>
void check_integers() {
  struct Case {
    ReduceKind kind;
    T neutral;
    T (*combine)(T, T);
  };
  using Limits = std::numeric_limits<T>;
  const Case cases[] = {
      {ReduceKind::sum, T(0), [](T a, T b) { return T(__int128(a) + b); }},
      {ReduceKind::product, T(1), [](T a, T b) { return T(__int128(a) * b); }},
      {ReduceKind::maximum, Limits::min(), [](T a, T b) { return std::max(a, b); }},
      {ReduceKind::minimum, Limits::max(), [](T a, T b) { return std::min(a, b); }},
      {ReduceKind::and_, T(-1), [](T a, T b) { return T(a & b); }},
      {ReduceKind::or_, T(0), [](T a, T b) { return T(a | b); }},
      {ReduceKind::xor_, T(0), [](T a, T b) { return T(a ^ b); }},
  };
  for (const Case& kase : cases) {
    for (const ShapeCase& c : shapes) {
      int64_t outputs;
      const std::vector<int64_t> target = targets(c, outputs);
      std::vector<T> input, wanted(static_cast<size_t>(outputs), kase.neutral);
      for (double x : test_values(static_cast<int64_t>(target.size()), 5)) {
        input.push_back(static_cast<T>(static_cast<int64_t>(x * 1000) |
                                       (kase.kind == ReduceKind::and_ ? 0x5a : 1)));
      }
      for (size_t i = 0; i < input.size(); ++i) {
        wanted[target[i]] = kase.combine(wanted[target[i]], input[i]);
      }
      const Reduction plan(kase.kind, dtype_of<T>, c.dims, c.axes);
      ASSERT_EQ(run(plan, input, 3), wanted) << int(kase.kind) << to_string(Shape(c.dims));
    }
  }
}

TEST(Reduction, IntegersWrap) {
  check_integers<int8_t>();
  check_integers<int32_t>();
  check_integers<int64_t>();
  check_integers<uint8_t>();
  check_integers<uint16_t>();
  check_integers<uint32_t>();
}

TEST(Reduction, PredIsLogical) {
  const std::vector<uint8_t> x = {0, 0, 0, 0, 1, 0, 1, 1, 1};
  const auto reduce = [&](ReduceKind kind) {
    const Reduction plan(kind, DType::pred, Dims{3, 3}, Dims{1});
    std::vector<uint8_t> output(3);
    plan.run(x.data(), output.data(), nullptr, pool(1));
    return output;
  };
  EXPECT_EQ(reduce(ReduceKind::and_), (std::vector<uint8_t>{0, 0, 1}));
  EXPECT_EQ(reduce(ReduceKind::or_), (std::vector<uint8_t>{0, 1, 1}));
  EXPECT_EQ(reduce(ReduceKind::xor_), (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Reduction, NanPropagatesThroughMaximumAndMinimum) {
  for (int64_t columns : {3, 50, 9000}) {
    for (int64_t place : {int64_t{0}, columns / 2, columns - 1}) {
      for (ReduceKind kind : {ReduceKind::maximum, ReduceKind::minimum}) {
        std::vector<float> x = converted<float>(test_values(2 * columns, 1));
        x[place] = NAN;
        const Reduction rows(kind, DType::f32, Dims{2, columns}, Dims{1});
        const std::vector<float> got = run(rows, x, 3);
        EXPECT_TRUE(std::isnan(got[0])) << columns << " " << place;
        EXPECT_FALSE(std::isnan(got[1]));
        const Reduction transposed(kind, DType::f32, Dims{2, columns}, Dims{0});
        EXPECT_TRUE(std::isnan(run(transposed, x, 3)[place]));
      }
    }
  }
}

TEST(Reduction, InitIsCombinedWithTheResult) {
  const std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const float ten = 10;
  const Reduction sums(ReduceKind::sum, DType::f32, Dims{2, 3}, Dims{1});
  EXPECT_EQ(run(sums, x, 1, &ten), (std::vector<float>{16, 25}));
  const Reduction largest(ReduceKind::maximum, DType::f32, Dims{2, 3}, Dims{0, 1});
  EXPECT_EQ(run(largest, x, 1, &ten), (std::vector<float>{10}));
}

TEST(Reduction, OfNothingIsTheNeutralElement) {
  const auto reduce = [](ReduceKind kind) {
    return run(Reduction(kind, DType::f32, Dims{2, 0}, Dims{1}), std::vector<float>{}, 1);
  };
  EXPECT_EQ(reduce(ReduceKind::sum), (std::vector<float>{0, 0}));
  EXPECT_EQ(reduce(ReduceKind::product), (std::vector<float>{1, 1}));
  EXPECT_EQ(reduce(ReduceKind::maximum), (std::vector<float>{-INFINITY, -INFINITY}));
  EXPECT_EQ(
      run(Reduction(ReduceKind::minimum, DType::i8, Dims{0}, Dims{0}), std::vector<int8_t>{}, 1),
      (std::vector<int8_t>{127}));
}

TEST(Reduction, OfAProgramEqualsTheReductionOfItsResult) {
  for (const ShapeCase& c : shapes) {
    for (DType dtype : {DType::f32, DType::bf16}) {
      TileProgramBuilder builder(c.dims);
      const int x = builder.input(DType::f32);
      builder.output(builder.op(TileOp::multiply, {x, builder.op(TileOp::tanh, {x})}), dtype);
      const auto program = builder.build();
      const std::vector<float> input = converted<float>(test_values(program.elements(), 8));
      std::vector<uint8_t> stored(static_cast<size_t>(program.elements() * byte_width(dtype)));
      const void* inputs[] = {input.data()};
      void* outputs[] = {stored.data()};
      program.run(inputs, outputs, pool(3));
      const Reduction plan(ReduceKind::sum, dtype, c.dims, c.axes);
      AlignedBytes scratch(plan.scratch_bytes());
      std::vector<uint8_t> wanted(static_cast<size_t>(plan.output_elements() * byte_width(dtype)));
      std::vector<uint8_t> got(wanted.size(), 9);
      plan.run(stored.data(), wanted.data(), scratch.data(), pool(1));
      plan.run(program, inputs, got.data(), scratch.data(), pool(3));
      ASSERT_EQ(got, wanted) << to_string(Shape(c.dims));
    }
  }
}

// Parts of any size, of an array and of a program: the same bits. Without parts unless whole rows
// are reduced.
TEST(Reduction, PartsAreTheWhole) {
  int with_parts = 0;
  for (const ShapeCase& c : shapes) {
    const Reduction plan(ReduceKind::sum, DType::f32, c.dims, c.axes);
    const bool rows = c.dims.size() == 2 && c.axes == Dims{1} && c.dims[1] > 1;
    if (plan.parts() == 0) {
      EXPECT_FALSE(rows) << to_string(Shape(c.dims));
      continue;
    }
    ++with_parts;
    TileProgramBuilder builder(c.dims);
    builder.output(builder.input(DType::f32), DType::f32);
    const auto program = builder.build();
    const std::vector<float> input = converted<float>(test_values(product(c.dims), 9));
    const void* inputs[] = {input.data()};
    const float init = 3;
    AlignedBytes scratch(plan.scratch_bytes());
    std::vector<float> wanted(static_cast<size_t>(plan.parts()));
    plan.run(input.data(), wanted.data(), scratch.data(), pool(3), &init);
    for (int64_t step : {int64_t{1}, int64_t{7}, plan.parts()}) {
      std::vector<float> got(wanted.size()), of_program(wanted.size());
      for (int64_t begin = 0; begin < plan.parts(); begin += step) {
        const int64_t end = std::min(begin + step, plan.parts());
        plan.run_parts(begin, end, input.data(), got.data(), &init);
        plan.run_parts(begin, end, program, inputs, of_program.data(), &init);
      }
      EXPECT_EQ(got, wanted) << to_string(Shape(c.dims)) << " by " << step;
      EXPECT_EQ(of_program, wanted) << to_string(Shape(c.dims)) << " by " << step;
    }
  }
  EXPECT_GE(with_parts, 4);
}

TEST(Reduction, LongSumsKeepTheirPrecision) {
  const int64_t count = 1 << 22;
  const std::vector<float> x(static_cast<size_t>(count), 0.1f);
  const Reduction rows(ReduceKind::sum, DType::f32, Dims{count}, Dims{0});
  const double bound = double(0.1f) * count * 72 * 0x1p-24;
  EXPECT_NEAR(run(rows, x, 3)[0], double(0.1f) * count, bound);
  const Reduction columns(ReduceKind::sum, DType::f32, Dims{count / 4, 4}, Dims{0});
  for (float sum : run(columns, x, 3)) EXPECT_NEAR(sum, double(0.1f) * count / 4, bound / 4);
}

TEST(Reduction, UnsupportedTypesAreErrors) {
  EXPECT_THROW(Reduction(ReduceKind::sum, DType::c64, Dims{2}, Dims{0}), Unimplemented);
  EXPECT_THROW(Reduction(ReduceKind::and_, DType::f32, Dims{2}, Dims{0}), Unimplemented);
  EXPECT_THROW(Reduction(ReduceKind::sum, DType::pred, Dims{2}, Dims{0}), Unimplemented);
}

TEST(Argmax, TakesTheFirstLargestAndNanFirst) {
  for (int64_t columns : {1, 5, 10, 100, 3000}) {
    const int64_t rows = 37;
    std::vector<float> x = converted<float>(test_values(rows * columns, 2));
    for (float& value : x) value = std::round(value * 8);  // ties
    if (columns > 4) x[2 * columns + 3] = x[2 * columns + 4] = NAN;
    std::vector<int32_t> got(rows), got_bf16(rows);
    kernels::argmax_rows(DType::f32, x.data(), got.data(), rows, columns, pool(3));
    const std::vector<bfloat16> narrow = [&] {
      std::vector<bfloat16> result;
      for (float value : x) result.push_back(bfloat16(value));
      return result;
    }();
    kernels::argmax_rows(DType::bf16, narrow.data(), got_bf16.data(), rows, columns, pool(1));
    for (int64_t row = 0; row < rows; ++row) {
      int64_t best = 0;
      for (int64_t j = 1; j < columns; ++j) {
        const float a = x[row * columns + best], b = x[row * columns + j];
        if (!std::isnan(a) && (std::isnan(b) || b > a)) best = j;
      }
      ASSERT_EQ(got[row], best) << columns;
      ASSERT_EQ(got_bf16[row], best) << columns;
    }
  }
}

}  // namespace
}  // namespace systolic
