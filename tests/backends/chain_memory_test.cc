// What a chain of steps may write over: that which each of its parts has read.
#include <gtest/gtest.h>

#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

// A temporary that no chain computes: half of it comes from either of two arguments.
Value temporary(Builder& b, const Shape& shape) {
  Shape half = shape;
  half.set(0, shape[0] / 2);
  const Value parts[] = {b.argument({DType::f32, half}), b.argument({DType::f32, half})};
  return ir::concatenate(parts, 0);
}
Value spread(Value rows, const Shape& shape) { return ir::broadcast_in_dim(rows, shape, {0}); }

constexpr int64_t array_bytes = int64_t{128} * 2048 * 4;

// A normalization after a residual connection: `sum` is read again, `result` by what comes next.
struct Normalized {
  Value sum, result;
};
Normalized normalized(Value x, Value y) {
  const Value sum = x + y;
  const Value centred = sum - spread(ir::reduce_sum(sum, {1}) * (1.0 / 2048), sum.shape());
  const Value square = ir::reduce_sum(centred * centred, {1}) * (1.0 / 2048);
  return {sum, centred * spread(ir::unary(OpCode::rsqrt, square + 1e-3), sum.shape())};
}

// One step reads 32 pieces of half of x, another 32 pieces of all of it, and a third writes as many
// numbers, over x if that is an operand of it.
Value sums_of_parts(Builder& b, bool in_place) {
  const Value x = temporary(b, {64, 4096});
  const Value most = ir::reduce_max(ir::slice(x, {0, 0}, {32, 4096}), {1});
  const Value wide = ir::reshape(x, {32, 8192});
  const Value sums = ir::reduce_sum(wide * spread(most, wide.shape()), {1});
  return (in_place ? wide : b.argument(wide.type())) + spread(sums, wide.shape());
}

struct Row {
  const char* name;
  void (*build)(Builder&);
  int64_t most_arrays;  // in the arena at once; 0: not asked
};

const Row rows[] = {
    {"both operands of a sum die in it",
     [](Builder& b) {
       const Shape shape{128, 2048};
       const Value x = temporary(b, shape), y = temporary(b, shape);
       const Normalized n = normalized(x, y);
       b.result(ir::reduce_max(n.result, {0}));
       b.result(ir::reduce_max(n.sum, {0}));
     },
     2},
    {"an operand is read again later",
     [](Builder& b) {
       const Shape shape{128, 2048};
       const Value x = temporary(b, shape), y = temporary(b, shape);
       const Normalized n = normalized(x, y);
       b.result(ir::reduce_max(n.result, {0}));
       b.result(ir::reduce_max(n.sum, {0}));
       b.result(ir::reduce_max(x, {0}));
     },
     3},
    // The product's result is overwritten in place: both lie in one memory, not in that of the
    // product's operand.
    {"a product before an elementwise op",
     [](Builder& b) {
       const Value e = ir::reshape(temporary(b, {2048, 64}), {32, 64, 64});
       const Value w = b.argument({DType::f32, {32, 64, 64}});
       b.result(ir::unary(OpCode::tanh, ir::dot_general(e, w, {{0}, {0}, {2}, {1}})));
     },
     0},
    {"pieces of a part", [](Builder& b) { b.result(sums_of_parts(b, false)); }, 0},
    {"pieces of a part, in place", [](Builder& b) { b.result(sums_of_parts(b, true)); }, 0},
};

TEST(ChainMemory, IsWrittenOverWhereEachPartHasReadItsPiece) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const ir::Module module = make_module(row.build);
    const PlanSummary plan = plan_summary(2, module);
    EXPECT_NE(plan.text.find(" more in "), std::string::npos) << plan.text;  // a chain
    if (row.most_arrays > 0) {
      EXPECT_LT(plan.arena_bytes, (row.most_arrays + 1) * array_bytes) << plan.text;
    }
    expect_same(module, 4096, row.name, {-1, 1});
  }
}

}  // namespace
}  // namespace systolic
