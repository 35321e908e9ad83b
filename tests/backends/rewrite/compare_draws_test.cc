// Numbers drawn for dropout are compared as the integers they are made of: the same answer for
// every draw, next to the limit too.
#include "backends/cpu/rewrite/compare_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/passes/optimize.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

struct Draw {
  double shift = 8, factor = 0x1p-24, added = 0;
};

// (bits >> shift) * factor + added, asked for `limit`.
ir::Module draw_module(const Draw& draw, float limit, Direction direction, int64_t count) {
  return make_module([&](Builder& b) {
    const Value bits = b.argument({DType::u32, {count}});
    const Value shifted =
        ir::binary(OpCode::shift_right_logical, bits, b.filled_like(bits, draw.shift));
    const Value unit = ir::convert(shifted, DType::f32) * draw.factor + draw.added;
    b.result(ir::compare(unit, limit, direction));
  });
}

// Draws around the one that first reaches the limit, the least, the most, and some between.
Literal draws_around(const Draw& draw, float limit) {
  std::vector<uint32_t> bits{0, 1, 255, 256, ~uint32_t{0}, ~uint32_t{0} - 256};
  const double at = std::clamp(limit / draw.factor, 0.0, 4294967295.0);
  for (double near : {at - 2, at - 1, at, at + 1, at + 2}) {
    const double scaled = std::ldexp(std::floor(near), static_cast<int>(draw.shift));
    for (double low : {0.0, 1.0, std::ldexp(1, static_cast<int>(draw.shift)) - 1}) {
      const double value = scaled + low;
      if (value >= 0 && value <= 4294967295.0) bits.push_back(static_cast<uint32_t>(value));
    }
  }
  for (uint32_t i = 0; i < 100; ++i) bits.push_back(i * 2654435761u);
  Literal result(DType::u32, Shape{static_cast<int64_t>(bits.size())});
  std::copy(bits.begin(), bits.end(), result.mutable_data<uint32_t>().begin());
  return result;
}

bool has(const ir::Module& module, OpCode code) {
  const auto& ops = module.main().body.ops;
  return std::any_of(ops.begin(), ops.end(), [&](const ir::Op& op) { return op.code == code; });
}

TEST(CompareDraws, AnswersAsTheFloatsDo) {
  for (const Draw& draw : {Draw{}, Draw{9, 0x1p-23}, Draw{8, 0x1p-20}, Draw{10, 0x1p-22}}) {
    for (const float limit : {0.1f, 0.5f, 0x1p-24f, 0x1p-25f, 0.3333333f, 0.999999f}) {
      for (const Direction direction : {Direction::ge, Direction::lt}) {
        const Literal bits = draws_around(draw, limit);
        const ir::Module before = draw_module(draw, limit, direction, bits.size());
        ir::Module after = before;
        cpu::compare_draws(after);
        after = passes::optimize(after);
        ir::verify(after);
        const std::string what = str("bits >> ", draw.shift, " * ", draw.factor, ", ", limit);
        EXPECT_FALSE(has(after, OpCode::convert)) << what;
        EXPECT_EQ(interpreter::evaluate(after, {bits})[0], interpreter::evaluate(before, {bits})[0])
            << what;
        expect_same(before, {bits}, 0, what);
      }
    }
  }
}

TEST(CompareDraws, LeavesOthersAlone) {
  struct Row {
    const char* what;
    Draw draw;
    float limit;
    Direction direction;
  };
  const Row rows[] = {{"integers that are rounded", {7, 0x1p-25}, 0.5f, Direction::ge},
                      {"no power of two", {8, 0.1}, 0.5f, Direction::ge},
                      {"a sum", {8, 0x1p-24, 0.5}, 0.7f, Direction::ge},
                      {"always", {}, 0, Direction::ge},
                      {"never", {}, 1, Direction::ge},
                      {"NaN", {}, NAN, Direction::ge},
                      {"another question", {}, 0.5f, Direction::gt}};
  for (const Row& row : rows) {
    ir::Module module = draw_module(row.draw, row.limit, row.direction, 8);
    cpu::compare_draws(module);
    EXPECT_TRUE(has(passes::optimize(module), OpCode::convert)) << row.what;
    const Literal bits = Literal::of<uint32_t>({0, 1, 255, 256, 1u << 31, ~0u, 1u << 30, 77});
    expect_same(module, {bits}, 0, row.what);
  }
}

}  // namespace
}  // namespace systolic
