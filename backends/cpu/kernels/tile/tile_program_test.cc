// Tile programs against plain loops: every way of reading and writing an array, aliasing, limits.
#include "backends/cpu/kernels/tile/tile_program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

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
      {{30, 384}, {0, 1}, 1, 385},                            // a tile of one row
      {{30, 768}, {0, 1}, 0, 768},                            // two tiles a row
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

// A tile that suits one of them cuts the other.
TEST(TileProgram, RowsOfTwoLengths) {
  constexpr int64_t outer = 9, middle = 6;
  for (const int64_t inner : {16, 17, 64, 96, 128, 200}) {
    const int64_t longer = middle * inner, elements = outer * longer;
    const auto numbers = [](int64_t count) {
      std::vector<float> values(static_cast<size_t>(count));
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 251);
      return values;
    };
    const std::vector<float> row = numbers(inner), long_row = numbers(longer),
                             x = numbers(elements);
    TileProgramBuilder builder({outer, middle, inner});
    const int a = builder.input(DType::f32), b = builder.input(DType::f32, {0, 0, 1});
    const int c = builder.input(DType::f32, {0, inner, 1});
    const int sum = builder.op(TileOp::subtract, {builder.op(TileOp::multiply, {a, b}), c});
    builder.output(sum, DType::f32);
    const TileProgram program = builder.build();
    std::vector<float> got(static_cast<size_t>(elements));
    const void* inputs[] = {x.data(), row.data(), long_row.data()};
    void* outputs[] = {got.data()};
    program.run(inputs, outputs, pool());
    for (size_t i = 0; i < got.size(); ++i) {
      const float wanted = x[i] * row[i % row.size()] - long_row[i % long_row.size()];
      ASSERT_EQ(got[i], wanted) << inner << " at " << i;  // whole numbers below 2^24: exact
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

// Adam as a user's graph states it: x, m, v, g, alpha -> x', m', v', and 2 alpha c1 where asked
// for.
struct AdamCase {
  bool alpha_differs = false;   // from element to element
  bool rates_are_read = false;  // by another op, too
};
void build_adam(TileProgramBuilder& builder, const AdamCase& c) {
  const auto op = [&](TileOp o, std::initializer_list<int> operands) {
    return builder.op(o, operands);
  };
  const int p = builder.input(DType::f32), m = builder.input(DType::f32),
            v = builder.input(DType::f32), g = builder.input(DType::f32);
  const int c1 = builder.constant(DType::f32, 0.1), c2 = builder.constant(DType::f32, 0.001);
  const int alpha = c.alpha_differs ? builder.input(DType::f32) : builder.input(DType::f32, {0});
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
  if (!c.rates_are_read) return;
  const int product = op(TileOp::multiply, {alpha, c1});
  builder.output(op(TileOp::add, {product, product}), DType::f32);
}

void check_adam(int64_t count, const AdamCase& c) {
  TileProgramBuilder builder({count});
  build_adam(builder, c);
  const TileProgram program = builder.build();
  EXPECT_EQ(program.instructions(), c.rates_are_read ? 3 : 1) << program.text();
  const auto values = [&](int seed) { return converted<float>(test_values(count, seed)); };
  std::vector<float> p = values(1), m = values(2), v = values(3), g = values(4), alpha = values(5);
  for (float& x : v) x = std::fabs(x);
  for (float& x : alpha) x = c.alpha_differs ? 0.01f * x : 0.01f;
  std::vector<double> wanted_p(count), wanted_m(count), wanted_v(count);
  for (int64_t i = 0; i < count; ++i) {
    wanted_m[i] = m[i] + (double(g[i]) - m[i]) * 0.1;
    wanted_v[i] = v[i] + (double(g[i]) * g[i] - v[i]) * 0.001;
    wanted_p[i] = p[i] - wanted_m[i] * alpha[i] / (std::sqrt(wanted_v[i]) + 1e-7);
  }
  std::vector<float> product(count);
  const void* inputs[] = {p.data(), m.data(), v.data(), g.data(), alpha.data()};
  void* outputs[] = {p.data(), m.data(), v.data(), product.data()};
  program.run(inputs, std::span(outputs, c.rates_are_read ? 4 : 3), pool());
  for (int64_t i = 0; i < count; ++i) {
    EXPECT_NEAR(p[i], wanted_p[i], 3e-7) << i;
    EXPECT_NEAR(m[i], wanted_m[i], 1e-7) << i;
    EXPECT_NEAR(v[i], wanted_v[i], 1e-7) << i;
    if (c.rates_are_read) {
      EXPECT_NEAR(product[i], 0.2 * alpha[i], 1e-8) << i;
    }
  }
}

TEST(TileProgram, AdamBecomesOneInstructionAndRunsInPlace) {
  for (int64_t count : {5, 48, 256, 1000, 70001}) {
    for (const bool alpha_differs : {false, true}) {
      for (const bool rates_are_read : {false, true}) {
        SCOPED_TRACE(str(count, " elements, ", alpha_differs, rates_are_read));
        check_adam(count, {alpha_differs, rates_are_read});
      }
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
