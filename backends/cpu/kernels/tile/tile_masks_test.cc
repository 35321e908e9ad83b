// Dropout and its gradient as single instructions, against what their parts give.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"

namespace systolic {
namespace {

using kernels::CompareDirection;
using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

constexpr uint32_t limit = 0xc0000000;

bool holds(const TileProgram& program, const char* part) {
  return program.text().find(part) != std::string::npos;
}

// Bits at both ends of their range and on both sides of the limit.
std::vector<uint32_t> bits(int64_t count) {
  const uint32_t some[] = {0, limit - 1, limit, limit + 1, 0x7fffffff, 0x80000000, 0xffffffff, 5};
  std::vector<uint32_t> result;
  for (int64_t i = 0; i < count; ++i) {
    result.push_back(some[i % 8] + static_cast<uint32_t>(i % 3 == 2 ? 2654435761U * i : 0));
  }
  return result;
}

// Compares words with the limit.
int reach(TileProgramBuilder& b, int words) {
  return b.compare(CompareDirection::ge, words, b.constant_integer(DType::u32, limit));
}

// (words, x, y): an array of pred, stored or not, and one of f32.
using Build = std::function<void(TileProgramBuilder&, int words, int x, int y)>;
struct Case {
  std::string what;
  Build build;
  const char* instruction;  // what it is; empty: neither of them
  std::function<float(bool kept, float x, float y)> wanted;
  bool stores = true;
};

int times(TileProgramBuilder& b, int x, int y) { return b.op(TileOp::multiply, {x, y}); }
int number(TileProgramBuilder& b, double value) { return b.constant(DType::f32, value); }

const Case cases[] = {
    {"dropout",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int mask = reach(b, words);
       b.output(mask, DType::pred);
       b.output(b.op(TileOp::select, {mask, times(b, x, number(b, 1.25)), number(b, 0)}),
                DType::f32);
     },
     "keep_product", [](bool kept, float x, float) { return kept ? x * 1.25F : 0; }},
    {"of a product of arrays, or another array",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int mask = reach(b, words);
       b.output(mask, DType::pred);
       b.output(b.op(TileOp::select, {mask, times(b, x, y), x}), DType::f32);
     },
     "keep_product", [](bool kept, float x, float y) { return kept ? x * y : x; }},
    {"whose mask nobody stores",
     [](TileProgramBuilder& b, int words, int x, int y) {
       b.output(b.op(TileOp::select, {reach(b, words), times(b, x, y), number(b, 0)}), DType::f32);
     },
     "select_product", [](bool kept, float x, float y) { return kept ? x * y : 0; }, false},
    {"whose mask is read twice",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int mask = reach(b, words);
       b.output(mask, DType::pred);
       const int kept = b.op(TileOp::select, {mask, times(b, x, y), number(b, 0)});
       b.output(b.op(TileOp::select, {b.op(TileOp::not_, {mask}), y, kept}), DType::f32);
     },
     "select_product", [](bool kept, float x, float y) { return kept ? x * y : y; }},
    {"the gradient",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int mask = reach(b, words);
       b.output(b.op(TileOp::not_, {mask}), DType::pred);
       b.output(times(b, b.op(TileOp::select, {mask, x, number(b, 0)}), number(b, 1.25)),
                DType::f32);
     },
     "select_product", [](bool kept, float x, float) { return kept ? x * 1.25F : 0; }, false},
    {"the gradient, its scale first",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 0)});
       b.output(times(b, number(b, 1.25), kept), DType::f32);
     },
     "select_product", [](bool kept, float x, float) { return kept ? x * 1.25F : 0; }, false},
    {"a gradient beside an array",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, y});
       b.output(times(b, kept, number(b, 1.25)), DType::f32);
     },
     "", [](bool kept, float x, float y) { return (kept ? x : y) * 1.25F; }, false},
    {"a selection that is added",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 0)});
       b.output(b.op(TileOp::add, {kept, y}), DType::f32);
     },
     "", [](bool kept, float x, float y) { return (kept ? x : 0) + y; }, false},
    {"another comparison of bits",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int most = b.constant_integer(DType::u32, limit - 1);
       const int mask = b.compare(CompareDirection::gt, words, most);
       b.output(mask, DType::pred);
       b.output(b.op(TileOp::select, {mask, times(b, x, y), number(b, 0)}), DType::f32);
     },
     "select_product", [](bool kept, float x, float y) { return kept ? x * y : 0; }},
    {"a comparison of signed numbers",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int flipped = b.op(TileOp::xor_, {words, b.constant_integer(DType::u32, 0x80000000)});
       const int mask =
           b.compare(CompareDirection::ge, b.bitcast(flipped, DType::i32),
                     b.constant_integer(DType::i32, static_cast<int32_t>(limit ^ 0x80000000)));
       b.output(mask, DType::pred);
       b.output(b.op(TileOp::select, {mask, times(b, x, y), number(b, 0)}), DType::f32);
     },
     "select_product", [](bool kept, float x, float y) { return kept ? x * y : 0; }},
    {"a comparison of floats, which needs no mask",
     [](TileProgramBuilder& b, int words, int x, int y) {
       b.output(reach(b, words), DType::pred);
       const int above = b.compare(CompareDirection::ge, x, y);
       b.output(b.op(TileOp::select, {above, times(b, x, y), number(b, 0)}), DType::f32);
     },
     "", [](bool, float x, float y) { return x >= y ? x * y : 0; }},
    {"a gradient of the other sign",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 0)});
       b.output(times(b, number(b, -1.25), kept), DType::f32);
     },
     "", [](bool kept, float x, float) { return (kept ? x : 0) * -1.25F; }, false},
    {"a gradient of an infinite scale",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 0)});
       b.output(times(b, kept, number(b, std::numeric_limits<double>::infinity())), DType::f32);
     },
     "",
     [](bool kept, float x, float) {
       return (kept ? x : 0) * std::numeric_limits<float>::infinity();
     },
     false},
    {"something else than 0 beside it",
     [](TileProgramBuilder& b, int words, int x, int) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 3)});
       b.output(times(b, kept, number(b, 1.25)), DType::f32);
     },
     "", [](bool kept, float x, float) { return (kept ? x : 3) * 1.25F; }, false},
    {"a selection that is read twice",
     [](TileProgramBuilder& b, int words, int x, int y) {
       const int kept = b.op(TileOp::select, {reach(b, words), x, number(b, 0)});
       b.output(b.op(TileOp::subtract, {times(b, kept, number(b, 2)), times(b, kept, y)}),
                DType::f32);
     },
     "", [](bool kept, float x, float y) { return kept ? x * 2 - x * y : 0; }, false},
};

TEST(TileMasks, GiveWhatTheirPartsDo) {
  for (const Case& c : cases) {
    for (const int64_t count : {1, 16, 47, 1000}) {
      TileProgramBuilder builder({count});
      const int words = builder.input(DType::u32), x = builder.input(DType::f32);
      c.build(builder, words, x, builder.input(DType::f32));
      const TileProgram program = builder.build();
      for (const char* instruction : {"keep_product", "select_product"}) {
        EXPECT_EQ(holds(program, instruction), c.instruction == std::string(instruction))
            << c.what << "\n"
            << program.text();
      }
      const auto w = bits(count);
      const auto a = converted<float>(test_values(count, 1)),
                 b = converted<float>(test_values(count, 2));
      std::vector<uint8_t> mask(static_cast<size_t>(count));
      std::vector<float> got(static_cast<size_t>(count));
      const void* inputs[] = {w.data(), a.data(), b.data()};
      std::vector<void*> outputs{mask.data(), got.data()};
      if (program.outputs() == 1) outputs.erase(outputs.begin());
      program.run(inputs, outputs, pool());
      for (size_t i = 0; i < got.size(); ++i) {
        const bool kept = w[i] >= limit;
        ASSERT_TRUE(!c.stores || mask[i] == kept) << c.what << " at " << i;
        const float wanted = c.wanted(kept, a[i], b[i]);
        if (!std::isfinite(wanted)) {
          ASSERT_EQ(std::isnan(got[i]), std::isnan(wanted)) << c.what << " at " << i;
          ASSERT_TRUE(std::isnan(wanted) || got[i] == wanted) << c.what << " at " << i;
        } else {
          ASSERT_NEAR(got[i], wanted, 4e-7 * (1 + std::fabs(wanted))) << c.what << " at " << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace systolic
