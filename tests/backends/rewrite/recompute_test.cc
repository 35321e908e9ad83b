// Values computed again by those who read them, instead of being stored for them.
#include "backends/cpu/fuse/recompute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "backends/cpu/lower/lower_block.h"
#include "systolic/autodiff/gradient.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/passes/eliminate_dead_code.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Direction;
using ir::OpCode;
using ir::Value;

// 1 MiB of f32, from which size on arrays count as large, and a smaller one. A product with this
// many columns is stored, and does not give its rows to its readers.
constexpr int64_t rows = 256, columns = 1024, few_rows = 8, terms = 16;

Value product(Value left, Value right) { return ir::dot_general(left, right, {{}, {}, {1}, {0}}); }

Value squared(Value x) { return ir::dot_general(x, x, {{}, {}, {0}, {0}}); }

using Activation = std::function<Value(Value)>;

// For a layer's product; another product stands between the activation and its gradient.
struct Layer {
  const char* what;
  Activation activation;
  OpCode counted;  // an op of the activation
  int64_t rows = systolic::rows;
  DType dtype = DType::f32;
  bool biased = false;
};

Value gelu(Value x) { return x * 0.5 * (ir::unary(OpCode::erf, x * 0.70710678) + 1.0); }
Value gelu_by_tanh(Value x) {
  const Value inner = (x + x * x * x * 0.044715) * 0.79788456;
  return x * 0.5 * (ir::unary(OpCode::tanh, inner) + 1.0);
}
Value swish(Value x) { return x * ir::unary(OpCode::logistic, x); }

ir::Module training_step(const Layer& layer) {
  return make_module([&](Builder& b) {
    const Value x = b.argument({layer.dtype, {layer.rows, terms}});
    const Value w = b.argument({layer.dtype, {terms, columns}});
    const Value v = b.argument({layer.dtype, {columns, 16}});
    Value sum = product(x, w);
    if (layer.biased) {
      const Value bias = b.argument({layer.dtype, {columns}});
      sum = sum + ir::broadcast_in_dim(bias, sum.shape(), {1});
    }
    const Value y = product(layer.activation(sum), v);
    const Value loss = ir::reduce_sum(ir::convert(y * y, DType::f32), {0, 1});
    const ir::ValueId outputs[] = {loss.id()}, sources[] = {w.id(), v.id()};
    for (const ir::ValueId id : autodiff::gradient(b, {.outputs = outputs, .sources = sources})) {
      b.result(b.value(id));
    }
  });
}

int count(const ir::Module& module, OpCode code) {
  int found = 0;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) { found += op.code == code; });
  return found;
}

ir::Module recomputed(const ir::Module& module) {
  ir::Module after = cpu::recompute_cheap_values(module, cpu::lower_block);
  ir::verify(after);
  return after;
}

TEST(Recompute, ComputesActivationsAgainInTheirGradients) {
  for (const Layer& layer :
       {Layer{"gelu", gelu, OpCode::erf}, Layer{"gelu by tanh", gelu_by_tanh, OpCode::tanh},
        Layer{"swish", swish, OpCode::logistic},
        Layer{"of a sum with a bias", gelu, OpCode::erf, rows, DType::f32, true},
        Layer{"in bf16", gelu, OpCode::erf, 2 * rows, DType::bf16}}) {
    const ir::Module before = training_step(layer), after = recomputed(before);
    EXPECT_EQ(count(after, layer.counted), 2 * count(before, layer.counted)) << layer.what;
  }
}

// By chain_test.cc's bound, half the root of the terms for each sum: of 16 and 1,024 terms on the
// way to the loss, once more each on the way back, and of 256 rows.
constexpr double bound = 2 * (2 + 16) + 8;

TEST(Recompute, GivesTheInterpretersResults) {
  for (const Layer& layer :
       {Layer{"gelu", gelu, OpCode::erf}, Layer{"gelu by tanh", gelu_by_tanh, OpCode::tanh},
        Layer{"swish", swish, OpCode::logistic},
        Layer{"of a sum with a bias", gelu, OpCode::erf, rows, DType::f32, true}}) {
    expect_same(training_step(layer), bound, layer.what, {-1, 1});
  }
}

// The product's array and the activation's are stored, and their gradients, which may take their
// places; before, what is made of the product on the way was stored too.
TEST(Recompute, StoresLess) {
  const int64_t array = rows * columns * byte_width(DType::f32);
  const PlanSummary plan = plan_summary(2, training_step({"gelu", gelu, OpCode::erf}));
  EXPECT_LT(plan.arena_bytes, 4 * array) << plan.text;
}

// Two products, of which the second has the shape of x.
struct Weights {
  Value narrow, wide;
  explicit Weights(Builder& b)
      : narrow(b.argument({DType::f32, {columns, terms}})),
        wide(b.argument({DType::f32, {terms, columns}})) {}
  Value operator()(Value x) const { return product(product(x, narrow) * 0.03, wide); }
};
// For sums of 1,024 and of 16 terms, four times.
constexpr double four_pairs = 4 * (16 + 2);

TEST(Recompute, ReachesIntoLoops) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::f32, {rows, columns}});
    const Weights weights(b);
    const Value initial[] = {b.filled(DType::i32, {}, 0), x};
    const auto less = [](std::span<const Value> v) { return ir::compare(v[0], 2, Direction::lt); };
    const auto once = [&](std::span<const Value> v) {
      const Value kept = ir::unary(OpCode::tanh, weights(v[1]) * 0.1);
      return std::vector<Value>{v[0] + 1.0, weights(kept * 0.5) + (1.0 - kept)};
    };
    b.result(ir::while_loop(initial, less, once)[1]);
  });
  EXPECT_EQ(count(recomputed(module), OpCode::tanh), 2);
  expect_same(module, four_pairs, "loop", {-1, 1});
}

// Each layer's activation is added up as well, in one cluster that begins before the last product.
TEST(Recompute, CopiesStandBehindWhatTheyRead) {
  const ir::Module module = make_module([](Builder& b) {
    const Value argument = b.argument({DType::f32, {rows, columns}});
    const Weights weights(b);
    Value x = weights(argument), sum = b.filled_like(argument, 0);
    for (int layer = 0; layer < 3; ++layer) {
      const Value kept = ir::unary(OpCode::tanh, x * 0.1);
      x = weights(kept * 0.5);
      sum = sum + kept * 2.0;
    }
    b.result(x);
    b.result(sum);
  });
  EXPECT_EQ(count(recomputed(module), OpCode::tanh), 6);
  expect_same(module, four_pairs, "layers", {-1, 1});
}

// Where only the copies of a value are read, neither it nor what leads to it is computed in vain.
TEST(Recompute, LeavesNothingUnread) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::f32, {rows, terms}});
    const Value w = b.argument({DType::f32, {terms, columns}});
    const Value y = product(x, w);
    const Value gate = ir::unary(OpCode::logistic, y * 1.702);
    b.result(squared(y * 2.0));
    b.result(gate * 3.0);
  });
  EXPECT_EQ(count(recomputed(module), OpCode::logistic), 1);
}

// In bf16 a copy is not rounded as what was stored is: the clamped value would equal hardly any.
TEST(Recompute, KeepsWhatIsComparedForEquality) {
  const Layer layer{"clamp",
                    [](Value x) {
                      const Value limit = x.builder().filled(x.dtype(), {}, 1);
                      return ir::clamp(-limit, x * 0.3, limit);
                    },
                    OpCode::multiply, 2 * rows, DType::bf16};
  const ir::Module before = passes::eliminate_dead_code(training_step(layer));
  EXPECT_EQ(count(recomputed(before), OpCode::multiply), count(before, OpCode::multiply));
}

// What reads `kept` after a product that nobody can pass.
struct Row {
  const char* what;
  std::function<void(Builder& b, Value y, Value argument)> body;  // y: a product
  int64_t rows = systolic::rows;
  int factor = 1;  // of how many tanh there are
};
// tanh of `source`, for a product's cluster and then for another.
void read_twice(Builder& b, Value source, const std::function<Value(Value)>& second) {
  const Value kept = ir::unary(OpCode::tanh, source);
  b.result(squared(kept * 0.5));
  b.result(second(kept));
}
Value twice(Value x) { return x * 2.0; }

const Row others[] = {
    {"what is computed again", [](Builder& b, Value y, Value) { read_twice(b, y, twice); }, rows,
     2},
    {"small arrays", [](Builder& b, Value y, Value) { read_twice(b, y, twice); }, few_rows},
    {"values that a product reads too",
     [](Builder& b, Value y, Value) {
       const Value kept = ir::unary(OpCode::tanh, y);
       b.result(squared(kept));
       b.result(kept * 2.0);
     }},
    {"values of two arrays",
     [](Builder& b, Value y, Value argument) { read_twice(b, y + argument, twice); }},
    {"values of arguments, which may be overwritten",
     [](Builder& b, Value y, Value argument) {
       const Value kept = ir::unary(OpCode::tanh, argument);
       b.result(squared(kept * 0.5 + y));
       b.result(kept * 2.0);
     }},
    {"values that are returned",
     [](Builder& b, Value y, Value) {
       read_twice(b, y, [&](Value kept) {
         b.result(kept);
         return kept * 2.0;
       });
     }},
    {"values narrower than what they come from",
     [](Builder& b, Value y, Value) {
       const Value kept = ir::convert(ir::unary(OpCode::tanh, y), DType::bf16);
       b.result(squared(ir::convert(kept * 0.5, DType::f32)));
       b.result(kept * 2.0);
     }},
    {"values that take many ops",
     [](Builder& b, Value y, Value) {
       for (int i = 0; i < 4; ++i) y = ir::unary(OpCode::tanh, y);
       read_twice(b, y, twice);
     }},
    {"doubles, whose functions are slow",
     [](Builder& b, Value y, Value) { read_twice(b, ir::convert(y, DType::f64), twice); }},
    {"what is compared",
     [](Builder& b, Value y, Value) {
       read_twice(b, y, [](Value kept) {
         return ir::select(ir::compare(kept * 3.0, 1, Direction::lt), kept, -kept);
       });
     }},
    {"what is rounded",
     [](Builder& b, Value y, Value) {
       read_twice(b, y, [](Value kept) { return ir::unary(OpCode::floor, kept * 9.0); });
     }},
    {"values that one of two clusters has no room for",
     [](Builder& b, Value y, Value) {
       read_twice(b, y, [&](Value kept) {
         b.result(squared(kept * 0.25));
         Value sum = kept;
         for (int i = 0; i < 70; ++i) sum = ir::unary(OpCode::abs, sum - 0.01);
         return sum;
       });
     }},
    {"indices", [](Builder& b, Value y, Value) {
       const Value index = b.iota({DType::f32, y.shape()}, 0);
       b.result(y);
       read_twice(b, index * 1e-3, twice);
     }}};

TEST(Recompute, LeavesOthersAlone) {
  for (const Row& row : others) {
    const ir::Module before = make_module([&](Builder& b) {
      const Value x = b.argument({DType::f32, {row.rows, terms}});
      const Value w = b.argument({DType::f32, {terms, columns}});
      const Value argument = b.argument({DType::f32, {row.rows, columns}});
      row.body(b, product(x, w), argument);
    });
    EXPECT_EQ(count(recomputed(before), OpCode::tanh), row.factor * count(before, OpCode::tanh))
        << row.what;
  }
}

}  // namespace
}  // namespace systolic
