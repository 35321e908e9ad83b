// Instructions that the peephole merges, against what their parts give.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"

namespace systolic {
namespace {

using kernels::CompareDirection;
using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

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
      {"subtract_divide_root",
       [](B& b, int x, int y, int z, int w) {
         const int root = b.op(T::sqrt, {b.op(T::abs, {w})});
         const int sum = b.op(T::add, {root, b.constant(DType::f32, 0.5)});
         return b.op(T::subtract, {x, b.op(T::divide, {b.op(T::multiply, {y, z}), sum})});
       },
       [](D a, D b, D c, D d) { return a - b * c / (std::sqrt(std::fabs(d)) + 0.5); }},
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

// Integers at both ends of their range and about a few values, so that all comparisons are both
// true and false.
std::vector<int32_t> whole_numbers(int64_t count, uint32_t seed) {
  const std::vector<double> values = test_values(count, seed);
  std::vector<int32_t> result;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto small = static_cast<int32_t>(values[i] * 4);
    result.push_back(i % 11 == 3   ? std::numeric_limits<int32_t>::min()
                     : i % 13 == 5 ? std::numeric_limits<int32_t>::max()
                                   : small);
  }
  return result;
}

TEST(TileProgram, ComparisonsOfIntegersAreMergedAndExact) {
  using D = CompareDirection;
  const auto holds = [](D direction, int32_t a, int32_t b) {
    const bool answers[] = {a == b, a != b, a >= b, a > b, a <= b, a < b};
    return answers[static_cast<size_t>(direction)];
  };
  for (int64_t count : {1, 16, 47, 1000}) {
    std::vector<std::vector<int32_t>> in;
    for (uint32_t k = 0; k < 4; ++k) in.push_back(whole_numbers(count, k + 20));
    for (D direction : {D::eq, D::ne, D::ge, D::gt, D::le, D::lt}) {
      TileProgramBuilder builder({count});
      int v[4];
      for (int& value : v) value = builder.input(DType::i32);
      const int compared = builder.compare(direction, v[0], v[1]);
      builder.output(compared, DType::pred);
      builder.output(builder.op(TileOp::select, {compared, v[2], v[3]}), DType::i32);
      // The same by a condition that is no comparison.
      builder.output(builder.op(TileOp::select, {builder.op(TileOp::not_, {compared}), v[3], v[2]}),
                     DType::i32);
      const TileProgram program = builder.build();
      EXPECT_NE(program.text().find("compare_select"), std::string::npos) << program.text();
      const auto size = static_cast<size_t>(count);
      std::vector<uint8_t> answers(size);
      std::vector<int32_t> merged(size), selected(size);
      const void* inputs[] = {in[0].data(), in[1].data(), in[2].data(), in[3].data()};
      void* outputs[] = {answers.data(), merged.data(), selected.data()};
      program.run(inputs, outputs, pool());
      for (size_t i = 0; i < size; ++i) {
        const bool wanted = holds(direction, in[0][i], in[1][i]);
        ASSERT_EQ(answers[i], wanted) << in[0][i] << " and " << in[1][i];
        ASSERT_EQ(merged[i], wanted ? in[2][i] : in[3][i]);
        ASSERT_EQ(selected[i], merged[i]);
      }
    }
  }
}

// -1 is the last one; sums wrap around as all of i32 do. With another number than 0, or another
// sum, it is the selection that it says.
TEST(TileProgram, IndicesFromTheEndAreOneInstruction) {
  const int64_t count = 333;
  for (const int limit : {0, 1}) {
    for (const bool turned : {false, true}) {
      TileProgramBuilder builder({count});
      const int a = builder.input(DType::i32), size = builder.input(DType::i32);
      const int zero = builder.constant_integer(DType::i32, limit);
      const int sum =
          turned ? builder.op(TileOp::add, {size, a}) : builder.op(TileOp::add, {a, size});
      const int below = builder.compare(CompareDirection::lt, a, zero);
      builder.output(builder.op(TileOp::select, {below, sum, a}), DType::i32);
      const TileProgram program = builder.build();
      EXPECT_EQ(program.instructions(), limit == 0 ? 1 : 2) << program.text();
      const auto x = whole_numbers(count, 1), y = whole_numbers(count, 2);
      std::vector<int32_t> got(count);
      const void* inputs[] = {x.data(), y.data()};
      void* outputs[] = {got.data()};
      program.run(inputs, outputs, pool());
      for (size_t i = 0; i < got.size(); ++i) {
        const auto wrapped =
            static_cast<int32_t>(static_cast<uint32_t>(x[i]) + static_cast<uint32_t>(y[i]));
        ASSERT_EQ(got[i], x[i] < limit ? wrapped : x[i]) << x[i] << " " << y[i];
      }
    }
  }
}

TEST(TileProgram, WhetherAnIndexLiesInsideIsOneInstruction) {
  for (const bool turned : {false, true}) {
    const int64_t count = 333;
    TileProgramBuilder builder({count});
    int v[3];
    for (int& value : v) value = builder.input(DType::i32);
    const int above = builder.compare(CompareDirection::ge, v[0], v[1]);
    const int below = builder.compare(CompareDirection::le, v[0], v[2]);
    const auto both = turned ? builder.op(TileOp::and_, {below, above})
                             : builder.op(TileOp::and_, {above, below});
    builder.output(both, DType::pred);
    const TileProgram program = builder.build();
    EXPECT_EQ(program.instructions(), 1) << program.text();
    const auto a = whole_numbers(count, 1), low = whole_numbers(count, 2),
               high = whole_numbers(count, 3);
    std::vector<uint8_t> got(count);
    const void* inputs[] = {a.data(), low.data(), high.data()};
    void* outputs[] = {got.data()};
    program.run(inputs, outputs, pool());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], low[i] <= a[i] && a[i] <= high[i]) << low[i] << " " << a[i];
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

}  // namespace
}  // namespace systolic
